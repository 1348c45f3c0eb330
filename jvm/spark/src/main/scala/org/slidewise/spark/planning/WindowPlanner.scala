package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._

/**
 * Decides, once for each window over a table, which of its expressions Slidewise evaluates, and how.
 *
 * @param sortOrder
 *   the order by which the operator sorts each partition, if it sorts; begins with `orderSpec`
 * @param keepsArrival
 *   whether the operator may return rows in the order in which they arrive, if the window needs no order
 * @param mayUseArrays
 *   whether array kernels may evaluate a function; asked only for functions that they can evaluate
 */
final class WindowPlanner(
    conf: SQLConf,
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    sortOrder: Seq[SortOrder],
    keepsArrival: Boolean = false,
    mayUseArrays: ArrayFunction => Boolean = _ => true
) {
  import WindowPlanner._

  private lazy val merging = MergePolicy.of(conf)
  private lazy val rowWise = new RowWisePlanner(merging, keepsRows = _ => true, refersToRows = true)
  private lazy val usesArrays = SlidewiseSettings.sort(conf)

  private def sortPlacement(arrays: Seq[ArrayFunction], isAll: Boolean) =
    if (!usesArrays || !WindowKeys.haveBytes(partitionSpec)) SortPlacement.BelowOperator
    else if (isAll && isUnordered && arrays.forall(isOfPartition)) SortPlacement.Unneeded
    else SortPlacement.InOperator

  private def isUnordered = keepsArrival && partitionSpec.nonEmpty && sortOrder.isEmpty

  private def isOfPartition(function: ArrayFunction): Boolean = function match {
    case aggregate: ArrayFunction.Aggregate => aggregate.frame == Frame.Partition
    case _                                  => false
  }

  /**
   * @param expressions
   *   the window expressions, each with a name
   */
  def plan(expressions: Seq[NamedExpression]): WindowPlan =
    if (SlidewiseSettings.enabled(conf)) planWhetherOn(expressions)
    else WindowPlan(None, expressions.map(EvaluatedBySpark(_, WindowCall.IsOff)))

  /** The plan, whether or not Slidewise is on: adaptive execution plans again, and no operator of Spark evaluates a window join. */
  def planWhetherOn(expressions: Seq[NamedExpression]): WindowPlan = {
    val decided = expressions.map { e =>
      (for {
        window <- WindowCall.of(e, conf)
        _ <- Either.cond(!overflowsInSpark(window.frame), (), OverflowingBound)
        framed <- window.framed
      } yield (window, framed)).left.map(EvaluatedBySpark(e, _))
    }
    val taken = decided.collect { case Right(found) => found }
    WindowPlan(
      if (taken.isEmpty) None else Some(operator(taken)),
      decided.collect { case Left(left) => left }
    )
  }

  private def operator(taken: Seq[(WindowCall, FramedFunctions)]): SlidingWindowPlan = {
    val (inArrays, others) = taken
      .map { case (window, framed) => arrayFunction(window) -> rowWise.choose(window, framed) }
      .partition(_._1.isDefined)
    val functions = inArrays.flatMap(_._1)
    val expressions = inArrays.map(_._2.expression)
    SlidingWindowPlan(
      inArrays.map(_._2).zip(functions).map { case (e, f) =>
        PlannedExpression(e.expression, f.method, None, e.call.reach)
      } ++
        others.map(_._2.planned),
      PlannedSpec(partitionSpec, orderSpec),
      if (functions.isEmpty) None
      else
        Some(
          ArrayPlan(
            functions,
            expressions.map(_.toAttribute),
            fallback = byRows(inArrays.map(_._2))
          )
        ),
      byRows(others.map(_._2)),
      SortPlan(sortPlacement(functions, isAll = others.isEmpty), sortOrder, conf.enableRadixSort),
      taken.forall(_._1.isConstantInSpark),
      SlidewiseSettings.maxStateBytes(conf)
    )
  }

  private def arrayFunction(window: WindowCall): Option[ArrayFunction] =
    if (usesArrays && !merging.isRecalculated(window.description))
      ArrayPlanner.of(window).filter(mayUseArrays)
    else None

  // Fixed-width buffers are copied as bytes, so they share no `FramePlan` with other buffers. Nor do functions of users, whose
  // merges may fail.
  private def byRows(expressions: Seq[RowWiseExpression]): RowWisePlan =
    rowWise.plan(expressions)(a => (hasFixedWidth(a), a.description.isForeign))

  private def hasFixedWidth(aggregate: PlannedAggregate): Boolean =
    aggregate.function.aggBufferAttributes.forall(a => StateTypes.isFixedWidth(a.dataType))
}

private object WindowPlanner {

  /** Whether a bound is so far away that Spark overflows when it subtracts the bound from row numbers in 32 bits. */
  private def overflowsInSpark(frame: Frame): Boolean = frame match {
    case Frame.Rows(lower, upper) => Seq(lower, upper).contains(Some(Int.MinValue))
    case _                        => false
  }

  private val OverflowingBound =
    s"Spark's arithmetic overflows at a bound of ${Int.MinValue} rows, and its frames are not those of that bound"
}
