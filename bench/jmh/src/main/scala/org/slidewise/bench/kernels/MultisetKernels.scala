package org.slidewise.bench.kernels

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import org.slidewise.core.batch.Frames
import org.slidewise.core.multisets._

/**
 * Time for each row of distinct counts, distinct sums, percentiles and modes over frames of `window` rows that end at each row.
 * The column has `distinct` random values; with 0, random doubles of which no two are equal. Its encoding is not counted: see
 * DictionaryEncoding.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(MultisetKernels.Rows)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class MultisetKernels {

  @Param(Array("100", "100000"))
  var window: Int = _

  @Param(Array("100", "0"))
  var distinct: Int = _

  private var frames: Frames = _
  private val outLongs = new Array[Long](MultisetKernels.Rows)
  private val outDoubles = new Array[Double](MultisetKernels.Rows)
  private val outCodes = new Array[Int](MultisetKernels.Rows)

  private val dictionary =
    new ColumnDictionary // by first occurrence, which is faster where the order of codes is free
  private val ordered = new ColumnDictionary
  private val counts = new DistinctCounts
  private val doubleSums = new DistinctDoubleSums
  private val percentiles = new Percentiles
  private val modes = new Modes

  @Setup
  def fill(): Unit = {
    frames = Frames.rows(MultisetKernels.Rows, 1 - window, 0)
    val column = MultisetKernels.column(distinct)
    dictionary.encode(column, null, MultisetKernels.Rows)
    ordered.encodeInOrder(column, null, MultisetKernels.Rows)
    // As in a task with several functions: otherwise the JIT compiler inlines the only multiset that is in use.
    for (_ <- 1 to 3) {
      distinctCount()
      distinctSum()
      median()
      mode()
    }
  }

  @Benchmark def distinctCount(): Array[Long] = {
    counts.frames(dictionary.codes, dictionary.cardinality, frames, outLongs)
    outLongs
  }

  @Benchmark def distinctSum(): Array[Double] = {
    doubleSums.frames(dictionary, frames, outDoubles)
    outDoubles
  }

  @Benchmark def median(): Array[Double] = {
    percentiles.interpolated(
      ordered,
      ValueDecoder.Doubles,
      Interpolation.WeightedMean,
      Array(0.5),
      descending = false,
      frames,
      Array(outDoubles)
    )
    outDoubles
  }

  @Benchmark def mode(): Array[Int] = {
    modes.frames(ordered.codes, ordered.cardinality, frames, smallest = true, outCodes)
    outCodes
  }
}

object MultisetKernels {
  final val Rows = 1000000

  /** `distinct` random doubles, or, with 0, as many as there are rows. */
  def column(distinct: Int): Array[Long] = {
    val random = new SplittableRandom(20)
    Array.fill(Rows) {
      OrderedDoubles.toLong(if (distinct == 0) random.nextDouble() else random.nextInt(distinct).toDouble)
    }
  }
}
