package org.slidewise.bench

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._
import org.openjdk.jmh.infra.Blackhole
import org.slidewise.core.summaries._

/** Updates and queries of the summaries of timestamps, which may come out of order: 2^20 timestamps, an element each. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
class TimestampsBenchmark {
  import TimestampsBenchmark.{Inputs, Width}

  @Param(Array("in order", "delayed", "anywhere"))
  var arrival: String = _

  @Param(Array("0.05"))
  var epsilon: Double = _

  private val delays = new Array[Long](Inputs)
  private val values = new Array[Long](Inputs)
  private var digest: DyadicDigest = _
  private var sums: DyadicDigest = _
  private var histogram: SplittableHistogram = _
  private var next = 0L

  @Setup
  def make(): Unit = {
    val random = new SplittableRandom(1)
    for (i <- 0 until Inputs) {
      values(i) = random.nextLong(1000)
      delays(i) = arrival match {
        case "in order" => 0
        case "delayed"  => (-math.log(1 - random.nextDouble()) * 1000).toLong
        case _          => random.nextLong(Width)
      }
    }
    digest = DyadicDigest.create(Width, epsilon)
    sums = DyadicDigest.create(Width, epsilon)
    histogram = SplittableHistogram.create(Width, epsilon)
    while (next < Width) {
      digest.insert(next - delays((next & (Inputs - 1)).toInt))
      histogram.insert(next - delays((next & (Inputs - 1)).toInt))
      next += 1
    }
  }

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def digestCount(): Long = {
    var i = 0
    while (i < Inputs) {
      digest.insert(next - delays(i))
      next += 1
      i += 1
    }
    digest.clock
  }

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def digestSum(): Long = {
    var i = 0
    while (i < Inputs) {
      sums.insert(next - delays(i), values(i))
      next += 1
      i += 1
    }
    sums.clock
  }

  @Benchmark
  @OperationsPerInvocation(Inputs)
  def histogramCount(): Long = {
    var i = 0
    while (i < Inputs) {
      histogram.insert(next - delays(i))
      next += 1
      i += 1
    }
    histogram.clock
  }

  @Benchmark
  def digestQuery(results: Blackhole): Unit = results.consume(digest.query(Width / 3))

  @Benchmark
  def histogramQuery(results: Blackhole): Unit = results.consume(histogram.query(Width / 3))
}

object TimestampsBenchmark {
  final val Width = 1L << 20
  final val Inputs = 1 << 16
}
