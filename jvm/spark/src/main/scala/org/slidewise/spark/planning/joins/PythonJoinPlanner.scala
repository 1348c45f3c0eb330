package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.plan._
import org.slidewise.spark.planning.WindowCall

/** Plans the calls of a window join that `slidewise.udaf` made. */
private[joins] object PythonJoinPlanner {

  /** Whether `slidewise.udaf` made the function, or the function of a call. */
  def isInPython(call: Expression): Boolean = call match {
    case Alias(framed: FramedAggregate, _) => isInPython(framed.function)
    case function                          => PythonAggregate.of(function).isDefined
  }

  /** Whether the call counts the rows in its frame. */
  def isCount(call: NamedExpression): Boolean = {
    val found = callOf(call)
    found.description.countsRows && found.filter.isEmpty
  }

  /**
   * The plan of the join's calls in Python.
   *
   * @param counts
   *   the calls that count the rows in their frames, which the same operator evaluates
   */
  def plan(join: WindowJoin, counts: Seq[NamedExpression]): PythonJoinPlan = {
    val (named, leftOrder) = WindowJoinPlanner.inOrder(join.named.filter(isInPython) ++ counts)
    val all = named.map(callOf)
    val frames = all.map(_.frame).distinct
    val (calls, ofCounts) = all.splitAt(all.size - counts.size)
    val functions = calls.map(call => PythonAggregate.of(call.function).get)
    PythonJoinPlan(
      PythonWindowPlan(
        calls.zip(functions).map { case (call, function) =>
          PlannedExpression(call.expression, function.method, None, call.reach)
        },
        functions,
        calls.map(call => frames.indexOf(call.frame)),
        frames
      ),
      ofCounts.map(call => frames.indexOf(call.frame)),
      join.leftKeys,
      join.rightKeys,
      leftOrder,
      SortOrder(join.time, Ascending),
      join.times,
      named.exists {
        case Alias(framed: FramedAggregate, _) => framed.rowOfNulls
        case _                                 => false
      }
    )
  }

  private def callOf(call: NamedExpression): WindowCall =
    WindowCall.of(call, SQLConf.get).fold(reason => throw new IllegalStateException(reason), identity)
}
