package org.slidewise.bench.kernels

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.{DoubleArgMax, DoubleKernel, DoubleKernels, LongArgMax, LongKernels}

/**
 * Rows a second of the kernels over frames whose ends are given: those of rows with random timestamps (steps of zero, one or
 * two) within a range of `window`, which therefore hold `window` rows on average.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
@OperationsPerInvocation(FramesKernels.Rows)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class FramesKernels {

  @Param(Array("10", "1000", "100000"))
  var window: Int = _

  private var frames: Frames = _
  private val doubles = new Array[Double](FramesKernels.Rows)
  private val longs = new Array[Long](FramesKernels.Rows)
  private val outDoubles = new Array[Double](FramesKernels.Rows)
  private val outLongs = new Array[Long](FramesKernels.Rows)
  private val outPositions = new Array[Int](FramesKernels.Rows)

  private val doubleSum = DoubleKernels.sum()
  private val doubleMax = DoubleKernels.max()
  private val doubleVariance = DoubleKernels.variance(1)
  private val longSum = LongKernels.sum()
  private val longMax = LongKernels.max()
  private val doubleArgMax = new DoubleArgMax
  private val longArgMax = new LongArgMax

  @Setup
  def fill(): Unit = {
    val random = new SplittableRandom(20)
    val times = new Array[Int](FramesKernels.Rows)
    val lo = new Array[Int](FramesKernels.Rows)
    val hi = new Array[Int](FramesKernels.Rows)
    for (i <- 0 until FramesKernels.Rows) {
      doubles(i) = random.nextDouble()
      longs(i) = random.nextLong()
      times(i) = if (i == 0) 0 else times(i - 1) + random.nextInt(3)
      lo(i) = if (i == 0) 0 else lo(i - 1)
      while (times(lo(i)) <= times(i) - window) lo(i) += 1
    }
    // As in SQL's RANGE, a frame ends with the last of the rows that have the row's own time.
    for (i <- FramesKernels.Rows - 1 to 0 by -1)
      hi(i) = if (i + 1 < FramesKernels.Rows && times(i + 1) == times(i)) hi(i + 1) else i + 1
    frames = Frames.of(lo, hi, FramesKernels.Rows, FramesKernels.Rows)
  }

  private def run(kernel: DoubleKernel): Array[Double] = {
    kernel.frames(doubles, null, frames, outDoubles)
    outDoubles
  }

  @Benchmark def sumOfDoubles(): Array[Double] = run(doubleSum)
  @Benchmark def maxOfDoubles(): Array[Double] = run(doubleMax)
  @Benchmark def varianceOfDoubles(): Array[Double] = run(doubleVariance)
  @Benchmark def sumOfLongs(): Array[Long] = { longSum.frames(longs, null, frames, outLongs); outLongs }
  @Benchmark def maxOfLongs(): Array[Long] = { longMax.frames(longs, null, frames, outLongs); outLongs }
  @Benchmark def argMaxOfDoubles(): Array[Int] = {
    doubleArgMax.frames(doubles, null, frames, outPositions)
    outPositions
  }
  @Benchmark def argMaxOfLongs(): Array[Int] = {
    longArgMax.frames(longs, null, frames, outPositions)
    outPositions
  }
}

object FramesKernels {
  final val Rows = 4000000
}
