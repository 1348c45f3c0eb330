package org.slidewise.spark.execution.parallel

import org.slidewise.spark.execution.surroundings.{Outside, OutsideFunctions, Surroundings}

/** What surrounds the rows of a range. */
sealed abstract private[parallel] class RangeSurroundings extends Serializable {

  /** What to aggregate of rows that the range reads and that are not in it. */
  def functions: Option[OutsideFunctions] = None

  /** What surrounds the range, all rows of which have been read. */
  def of(range: RangeRows): Surroundings
}

private[parallel] object RangeSurroundings {

  /** The number of rows is all that the functions need. */
  final case class Counted(rows: Long) extends RangeSurroundings {
    override def of(range: RangeRows): Surroundings = {
      val before = range.rowsBefore
      Surroundings(Outside.ofRows(before), Outside.ofRows(rows - before - (1 to 3).map(range.rowsIn).sum))
    }
  }

  /** A job has aggregated the rows between the cuts. */
  final case class Scanned(around: Surroundings) extends RangeSurroundings {
    override def of(range: RangeRows): Surroundings = around
  }

  /**
   * The indexes of the runs have the aggregates of their buckets; the range has those of the rows that share a bucket with its own.
   *
   * @param around
   *   the buckets that the range does not read
   */
  final case class InBuckets(around: Surroundings, of: OutsideFunctions) extends RangeSurroundings {
    override def functions: Option[OutsideFunctions] = Some(of)
    override def of(range: RangeRows): Surroundings = {
      val read = range.around
      Surroundings(of.combine(around.before, read.before), of.combine(read.after, around.after))
    }
  }
}
