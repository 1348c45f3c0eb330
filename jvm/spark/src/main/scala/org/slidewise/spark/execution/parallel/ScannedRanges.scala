package org.slidewise.spark.execution.parallel

import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingFunctions, SurroundingRows}
import org.slidewise.spark.plan.SlidingWindowPlan

/** Finds the surroundings of ranges of rows by a separate job. */
final private[parallel] class ScannedRanges(
    reader: RunsReader,
    plan: SlidingWindowPlan,
    functions: SurroundingFunctions
) {
  private[this] val order = reader.cutOrder

  /**
   * The surroundings of the rows of each range; none if one task must evaluate them. The job reads all rows once, and aggregates
   * the rows between the ends of ranges.
   *
   * @param ends
   *   the places, in order, between which each task of the job reads its rows
   * @param ranges
   *   the first and the last place of each range
   */
  def around(ends: Seq[Cut], ranges: Seq[(Cut, Cut)]): Option[Array[SurroundingRows]] = {
    val points = (ends ++ ranges.flatMap(r => Seq(r._1, r._2)))
      .sortWith(order.compare(_, _) < 0)
      .foldLeft(Vector.empty[Cut])((kept, next) =>
        if (kept.nonEmpty && order.compare(kept.last, next) == 0) kept else kept :+ next
      )
      .toArray
    def place(cut: Cut) =
      java.util.Arrays.binarySearch(points, cut, (a: Cut, b: Cut) => order.compare(a, b))
    val places = ends.map(place)
    val toRead = places.zip(places.tail).map { case (a, b) =>
      RangeToRead.of(reader.sorted, points.slice(a, b + 1))
    }
    val scan = new SegmentScan(segments(toRead.toArray), functions)
    if (scan.mustBeOneTask) None
    else Some(ranges.map { case (from, until) => scan.around(place(from), place(until)) }.toArray)
  }

  /** The aggregates of the first rows and of the last rows, at least one row each. All rows must have the same partition key. */
  def atEnds: (PartialAggregate, PartialAggregate) = {
    val rows = reader.sorted
    val first = RangeToRead.of(rows, Array(Cut.Start, rows.rowsAfter(Cut.Start, 1L)))
    val last = RangeToRead.of(rows, Array(rows.rowsBefore(Cut.End, 1L), Cut.End))
    val found = segments(Array(first, last)).map(_.fold(PartialAggregate.None)(_.first.aggregate))
    (found.head, found.last)
  }

  private def segments(ranges: Array[RangeToRead]): Array[Option[Segment]] = {
    val open = reader.opener
    val segments = new SegmentReader(plan, reader.input, functions)
    reader
      .collect(ranges) { (range, parts) =>
        OwnClasses.bytesOf(segments.read(open(range, None, parts), range.cuts.length - 1))
      }
      .flatMap(OwnClasses.valueOf[Array[Option[Segment]]](_))
  }
}
