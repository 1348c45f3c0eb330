package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.plan._

/** Plans how window expressions are evaluated row by row, over tables and over streams. */
final class RowWisePlanner(merging: MergePolicy) {
  private val methods = new MethodChoice(merging)

  /** A window expression with what it is made of. */
  type Framed = (NamedExpression, FramedFunctions)

  /** The window expressions with their methods: that of the first of several functions. */
  def described(expressions: Seq[Framed]): Seq[PlannedExpression] = expressions.map { case (e, framed) =>
    val first = framed.functions.head
    val (method, note) = methods.of(first.function, first.frame)
    PlannedExpression(e, method, note)
  }

  /**
   * @param kind
   *   functions of different kinds share no aggregation buffers
   */
  def plan(expressions: Seq[Framed])(kind: PlannedAggregate => Any): RowWisePlan = {
    val functions = expressions.flatMap(_._2.functions)
    val answers = functions.zipWithIndex.map { case (f, i) =>
      AttributeReference(s"_answer$i", f.function.dataType, nullable = true)()
    }
    val planned = functions.zipWithIndex.map { case (f, answer) =>
      val (method, _) = methods.of(f.function, f.frame)
      (f.frame, method) -> methods.planned(f.function, f.filter, answer, method)
    }
    val firsts = expressions.scanLeft(0)(_ + _._2.functions.size)
    val results = expressions.zip(firsts).map { case ((expression, framed), first) =>
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
      aggregates: Seq[((SpecifiedWindowFrame, EvaluationMethod), PlannedAggregate)]
  )(kind: PlannedAggregate => Any): Seq[FramePlan] = {
    val keyed = aggregates.map { case (key, aggregate) => (key, kind(aggregate)) -> aggregate }
    keyed.map(_._1).distinct.map { case key @ ((frame, method), _) =>
      FramePlan(frame, method, keyed.collect { case (`key`, aggregate) => aggregate })
    }
  }
}
