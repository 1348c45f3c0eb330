package org.slidewise.spark.execution.parallel

import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingFunctions, SurroundingRows}

/** The source of the surroundings of a range's rows. */
sealed abstract private[parallel] class RangeSurroundings extends Serializable {

  /**
   * The functions whose aggregates the task computes for rows that it reads but that lie outside the range; none if no such
   * aggregates are needed.
   */
  def functions: Option[SurroundingFunctions] = None

  /** The surroundings of the range, all rows of which have been read. */
  def of(range: RangeRows): SurroundingRows
}

private[parallel] object RangeSurroundings {

  /** Surroundings for functions that need only numbers of rows. */
  final case class Counted(rows: Long) extends RangeSurroundings {
    override def of(range: RangeRows): SurroundingRows = {
      val before = range.rowsBefore
      SurroundingRows(
        PartialAggregate.ofRows(before),
        PartialAggregate.ofRows(rows - before - (1 to 3).map(range.rowsIn).sum)
      )
    }
  }

  /**
   * Surroundings for functions that need only numbers of rows and the first and the last row.
   *
   * @param first
   *   the aggregate of the first rows, at least one
   * @param last
   *   the aggregate of the last rows, at least one
   */
  final case class AtEnds(first: PartialAggregate, last: PartialAggregate, rows: Long)
      extends RangeSurroundings {
    override def of(range: RangeRows): SurroundingRows = {
      val counted = Counted(rows).of(range)
      SurroundingRows(of(counted.before, first), of(counted.after, last))
    }

    private def of(counted: PartialAggregate, end: PartialAggregate): PartialAggregate =
      if (counted.isEmpty) PartialAggregate.None else end.copy(rows = counted.rows)
  }

  /** Surroundings that a job has aggregated from the rows between the cuts. */
  final case class Scanned(around: SurroundingRows) extends RangeSurroundings {
    override def of(range: RangeRows): SurroundingRows = around
  }

  /**
   * Surroundings from the aggregates of buckets in the indexes of the runs. The task adds the aggregates of the rows that share a
   * bucket with the range's own rows.
   *
   * @param around
   *   the aggregates of the buckets that the range does not read
   */
  final case class InBuckets(around: SurroundingRows, of: SurroundingFunctions) extends RangeSurroundings {
    override def functions: Option[SurroundingFunctions] = Some(of)
    override def of(range: RangeRows): SurroundingRows = {
      val read = range.around
      SurroundingRows(of.combine(around.before, read.before), of.combine(read.after, around.after))
    }
  }
}
