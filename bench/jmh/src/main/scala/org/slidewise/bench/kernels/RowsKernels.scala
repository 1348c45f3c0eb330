package org.slidewise.bench.kernels

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import org.slidewise.core.kernels.{DoubleKernel, DoubleKernels, LongKernel, LongKernels}

/** Rows a second of the kernels over fixed windows of `window` rows that end at each row. */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(RowsKernels.Rows)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class RowsKernels {

  @Param(Array("10", "100", "1000", "100000", "1000000"))
  var window: Int = _

  private val doubles = new Array[Double](RowsKernels.Rows)
  private val longs = new Array[Long](RowsKernels.Rows)
  private val outDoubles = new Array[Double](RowsKernels.Rows)
  private val outLongs = new Array[Long](RowsKernels.Rows)

  private val doubleSum = DoubleKernels.sum()
  private val doubleMax = DoubleKernels.max()
  private val doubleMin = DoubleKernels.min()
  private val doubleMean = DoubleKernels.mean()
  private val doubleVariance = DoubleKernels.variance(1)
  private val longSum = LongKernels.sum()
  private val longMax = LongKernels.max()
  private val longMin = LongKernels.min()

  @Setup
  def fill(): Unit = {
    val random = new SplittableRandom(20)
    for (i <- 0 until RowsKernels.Rows) {
      doubles(i) = random.nextDouble()
      longs(i) = random.nextLong()
    }
  }

  private def run(kernel: DoubleKernel): Array[Double] = {
    kernel.rows(doubles, null, RowsKernels.Rows, 1 - window, 0, outDoubles)
    outDoubles
  }

  private def run(kernel: LongKernel): Array[Long] = {
    kernel.rows(longs, null, RowsKernels.Rows, 1 - window, 0, outLongs)
    outLongs
  }

  @Benchmark def sumOfDoubles(): Array[Double] = run(doubleSum)
  @Benchmark def maxOfDoubles(): Array[Double] = run(doubleMax)
  @Benchmark def minOfDoubles(): Array[Double] = run(doubleMin)
  @Benchmark def meanOfDoubles(): Array[Double] = run(doubleMean)
  @Benchmark def varianceOfDoubles(): Array[Double] = run(doubleVariance)
  @Benchmark def sumOfLongs(): Array[Long] = run(longSum)
  @Benchmark def maxOfLongs(): Array[Long] = run(longMax)
  @Benchmark def minOfLongs(): Array[Long] = run(longMin)
}

object RowsKernels {
  final val Rows = 8000000
}
