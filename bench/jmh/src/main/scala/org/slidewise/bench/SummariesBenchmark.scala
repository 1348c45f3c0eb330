package org.slidewise.bench

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._
import org.slidewise.core.summaries._

/** Updates and queries of the summaries, with a window of 2^20 elements or timestamps. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
class SummariesBenchmark {
  import SummariesBenchmark.{Inputs, Window}

  @Param(Array("0.05", "0.001"))
  var epsilon: Double = _

  private val bits = new Array[Boolean](Inputs)
  private val numbers = new Array[Long](Inputs)
  private var count: AdditiveCount = _
  private var sum: AdditiveSum = _
  private var real: AdditiveSum = _
  private var cells: AdditiveSum = _
  private var histogram: ExponentialHistogram = _
  private var histogramSum: ExponentialHistogram = _
  private var wave: DeterministicWave = _
  private var waveSum: DeterministicWave = _

  @Setup
  def make(): Unit = {
    val random = new SplittableRandom(1)
    for (i <- 0 until Inputs) {
      bits(i) = random.nextInt(2) == 0
      numbers(i) = random.nextLong(1001)
    }
    count = AdditiveCount.create(Window, epsilon)
    sum = AdditiveSum.create(Window, 1000, epsilon)
    real = AdditiveSum.createReal(Window, 1000, epsilon)
    cells = AdditiveSum.create(Window, 1000, epsilon / Window)
    histogram = ExponentialHistogram.create(Window, epsilon)
    histogramSum = ExponentialHistogram.create(Window, 1000, epsilon)
    wave = DeterministicWave.create(Window, epsilon)
    waveSum = DeterministicWave.create(Window, 1000, epsilon)
  }

  private def insertAll(summary: CountSummary): Double = {
    var i = 0
    while (i < Inputs) {
      summary.insert(bits(i))
      i += 1
    }
    summary.estimate
  }

  private def insertAll(summary: SumSummary): Double = {
    var i = 0
    while (i < Inputs) {
      summary.insert(numbers(i))
      i += 1
    }
    summary.estimate
  }

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def additiveCount(): Double = insertAll(count)

  /** Each update followed by a query. */
  @Benchmark
  @OperationsPerInvocation(Inputs)
  def additiveCountAndQuery(): Double = {
    var all = 0.0
    var i = 0
    while (i < Inputs) {
      count.insert(bits(i))
      all += count.estimate
      i += 1
    }
    all
  }

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def additiveSum(): Double = insertAll(sum)

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def additiveSumAndQuery(): Double = {
    var all = 0.0
    var i = 0
    while (i < Inputs) {
      sum.insert(numbers(i))
      all += sum.estimate
      i += 1
    }
    all
  }

  /** Of real numbers, which are scaled. */
  @Benchmark
  @OperationsPerInvocation(Inputs)
  def additiveSumReal(): Double = {
    var i = 0
    while (i < Inputs) {
      real.insert(numbers(i) * 0.999)
      i += 1
    }
    real.estimate
  }

  /** With an ε so small that each element has a cell. */
  @Benchmark
  @OperationsPerInvocation(Inputs)
  def additiveSumInCells(): Double = insertAll(cells)

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def exponentialHistogram(): Double = insertAll(histogram: CountSummary)

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def exponentialHistogramOfSums(): Double = insertAll(histogramSum: SumSummary)

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def waveCount(): Double = insertAll(wave: CountSummary)

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def waveOfSums(): Double = insertAll(waveSum: SumSummary)
}

object SummariesBenchmark {
  final val Window = 1L << 20
  final val Inputs = 1 << 16
}
