package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.plan._
import org.slidewise.spark.planning.MergePolicy

/**
 * Decides whether several tasks can evaluate the rows of one partition. Each task evaluates its own rows. It also reads the rows
 * that moving frames reach, and partial aggregates of all others: see `org.slidewise.spark.execution.surroundings`.
 */
object AcrossTasks {

  /** The reason why one task must evaluate a partition, for a person to read; none if several tasks can. */
  def reasonNot(plan: SlidingWindowPlan): Option[String] = {
    val merging = MergePolicy.of(SQLConf.get)
    val functions = plan.arrays.toSeq.flatMap(_.functions)
    (functions.flatMap(inArrays(_)) ++ plan.frames.flatMap(byRows(_, merging))).headOption
  }

  /** The reason why array kernels cannot evaluate the function in several tasks; none if they can. */
  def inArrays(function: ArrayFunction): Option[String] = function match {
    case ArrayFunction.Aggregate(ArrayKernel.Variance(_, _), _, _, frame) if frame.isUnbounded =>
      Some("array kernels do not merge variances of unbounded frames")
    case f: ArrayFunction.OfMultiset if f.frame.isUnbounded =>
      Some("the distinct values of an unbounded frame grow with its rows")
    case f: ArrayFunction.ValueOfFrame if !isNear(f) && !isAtOpenEnd(f) =>
      Some("a value of an unbounded frame may lie in any row")
    case ArrayFunction.ValueAtOffset(_, _, _, true) =>
      Some("lag and lead with IGNORE NULLS may read any row")
    case _ => None
  }

  /** Whether the value comes from a row that the task of the frame reads. */
  private def isNear(value: ArrayFunction.ValueOfFrame): Boolean =
    !value.frame.isUnbounded ||
      value.n == 1 && !value.ignoreNulls && value.frame.hasNearEnd(atEnd = value.fromEnd)

  /** Whether the value comes from the unbounded end of the frame, which all frames of a partition share. */
  private def isAtOpenEnd(value: ArrayFunction.ValueOfFrame): Boolean =
    value.n == 1 && value.frame.isOpenAt(atEnd = value.fromEnd)

  private def byRows(frame: FramePlan, merging: MergePolicy): Option[String] = {
    val unbounded = frame.frame.isUnbounded
    frame.aggregates.flatMap { aggregate =>
      val name = aggregate.function.prettyName
      if (frame.method == EvaluationMethod.AdditiveSummaries)
        Some(s"a summary of $name goes on from row to row")
      else if (!aggregate.function.deterministic || !aggregate.filter.forall(_.deterministic))
        Some(s"$name is not deterministic")
      else if (!unbounded) None
      else if (frame.method == EvaluationMethod.RowReferences)
        if (
          aggregate.call.reference
            .forall(_.value.isEmpty) || UnboundedFunctions.readsNear(aggregate, frame.frame)
        ) None
        else Some("a value of an unbounded frame may lie in any row")
      else unmerged(aggregate, name, merging)
    }.headOption
  }

  private def unmerged(
      aggregate: PlannedAggregate,
      name: String,
      merging: MergePolicy
  ): Option[String] =
    if (aggregate.description.rank.isDefined) None
    else if (aggregate.description.isForeign) Some(s"merging buffers of $name, which is a user's, may fail")
    else merging.whyNotToMerge(aggregate.description)
}
