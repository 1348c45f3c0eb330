package org.slidewise.core.multisets

import munit.ScalaCheckSuite
import org.scalacheck.Gen

import org.slidewise.LongRun
import org.slidewise.core.batch.{FrameGenerators, Frames}
import org.slidewise.core.kernels.{Column, Columns}

/** Base of the multisets' suites: columns, frames, and their dictionaries. */
abstract class MultisetSuite extends ScalaCheckSuite {

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(LongRun.orLess(400, 100))

  /** Random frames with jumps and empty ones, and SQL's growing, shrinking, whole and sliding ones. */
  protected def framesOver(size: Int): Gen[Frames] = Gen.frequency(
    4 -> FrameGenerators.frames(size),
    3 -> Columns.offsets.map { case (lower, upper) => Frames.rows(size, lower, upper) },
    1 -> Gen
      .oneOf((Int.MinValue, 0), (0, Int.MaxValue), (Int.MinValue, Int.MaxValue), (0, 0), (5, 9))
      .map { case (lower, upper) => Frames.rows(size, lower, upper) }
  )

  protected def withFrames[A](columns: Gen[Column[A]]): Gen[(Column[A], Frames)] =
    columns.flatMap(column => framesOver(column.size).map(column -> _))

  protected def longs(column: Column[Long]): Array[Long] = column.cells.map(_.getOrElse(7L)).toArray

  protected def ordered(column: Column[Double]): Array[Long] =
    column.cells.map(cell => OrderedDoubles.toLong(cell.getOrElse(Double.NaN))).toArray

  protected def windows[A](column: Column[A], frames: Frames): Seq[Vector[A]] =
    (0 until frames.count).map(k => column.window(frames.lo(k), frames.hi(k)))

  /** The codes of a column that the dictionary encoded, with nulls. */
  protected def codesOf(dictionary: ColumnDictionary, size: Int): Column[Int] =
    Column(dictionary.codes.take(size).toVector.map(code => Some(code).filter(_ >= 0)))

  protected def bits(value: Double): Long = java.lang.Double.doubleToLongBits(value)

  /** A value of which Spark's order sees no difference to the given one. */
  protected def normal(value: Double): Double = if (value == 0) 0.0 else value
}
