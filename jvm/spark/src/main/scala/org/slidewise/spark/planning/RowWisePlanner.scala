package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.families.Families
import org.slidewise.spark.plan._

/** A window expression with its aggregate functions, and the method of each function with a note for a person to read. */
final case class RowWiseExpression(
    call: WindowCall,
    framed: FramedFunctions,
    methods: Seq[(EvaluationMethod, Option[String])]
) {
  def expression: NamedExpression = call.expression

  /** The expression with the method of the first of its functions. */
  def planned: PlannedExpression =
    PlannedExpression(expression, methods.head._1, methods.head._2, call.reach)
}

/**
 * Plans the row-wise evaluation of window expressions, over tables and over streams.
 *
 * @param keepsRows
 *   see [[MethodChoice]]
 * @param refersToRows
 *   see [[MethodChoice]]
 */
final class RowWisePlanner(
    merging: MergePolicy,
    keepsRows: Frame => Boolean,
    refersToRows: Boolean
) {
  private val methods = new MethodChoice(merging, keepsRows, refersToRows)

  /** Chooses the methods of the expression's functions. */
  def choose(call: WindowCall, framed: FramedFunctions): RowWiseExpression =
    RowWiseExpression(call, framed, framed.functions.map(f => methods.of(callOf(f), f.frame)))

  private def callOf(f: FramedFunction) = AggregateCall(Families.of(f.function), f.filter)

  /**
   * @param kind
   *   the kind of a function; functions of different kinds share no aggregation buffers
   */
  def plan(expressions: Seq[RowWiseExpression])(kind: PlannedAggregate => Any): RowWisePlan = {
    val functions = expressions.flatMap(e => e.framed.functions.zip(e.methods.map(_._1))).toVector
    val answers = functions.zipWithIndex.map { case ((f, _), i) =>
      AttributeReference(s"_answer$i", f.function.dataType, nullable = true)()
    }
    val planned = functions.zipWithIndex.map { case ((f, method), answer) =>
      val call = callOf(f)
      (f.frame, method) -> PlannedAggregate(call, answer, MethodChoice.guardOf(call, method))
    }
    val firsts = expressions.scanLeft(0)(_ + _.methods.size)
    val results = expressions.zip(firsts).map { case (RowWiseExpression(call, framed, _), first) =>
      val expression = call.expression
      val own = answers.slice(first, first + framed.functions.size)
      Alias(framed.result(own), expression.name)(
        expression.exprId,
        expression.qualifier,
        Some(expression.metadata)
      )
    }
    RowWisePlan(grouped(planned)(kind), answers, results)
  }

  private def grouped(
      aggregates: Seq[((Frame, EvaluationMethod), PlannedAggregate)]
  )(kind: PlannedAggregate => Any): Seq[FramePlan] = {
    val keyed = aggregates.map { case (key, aggregate) => (key, kind(aggregate)) -> aggregate }
    val members = keyed.groupBy(_._1)
    keyed.map(_._1).distinct.map { case key @ ((frame, method), _) =>
      FramePlan(frame, method, members(key).map(_._2))
    }
  }
}
