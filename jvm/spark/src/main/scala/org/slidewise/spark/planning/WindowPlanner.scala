package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.sorting.SortSpec
import org.slidewise.spark.execution.states.StateTypes
import org.slidewise.spark.plan._

/** Decides, once for each window over a table, which of its expressions Slidewise evaluates, and how. */
final class WindowPlanner(conf: SQLConf, partitionSpec: Seq[Expression], orderSpec: Seq[SortOrder]) {
  private lazy val merging = MergePolicy.of(conf)
  private lazy val methods = new MethodChoice(merging)
  private lazy val usesArrays = SlidewiseSettings.sort(conf)

  /**
   * Rows of windows with partition keys and an order. Without either Spark sorts by one column, by radix, and leaves ties
   * around nulls in an order of its own, which users would miss.
   */
  private lazy val sortPlacement =
    if (usesArrays && SortSpec.canPart(partitionSpec) && orderSpec.nonEmpty) SortPlacement.InOperator
    else SortPlacement.BelowOperator

  /**
   * @param expressions
   *   the window expressions, each with a name
   */
  def plan(expressions: Seq[NamedExpression]): WindowPlan =
    if (!SlidewiseSettings.enabled(conf))
      WindowPlan(Nil, expressions.map(LeftToSpark(_, WindowAggregate.IsOff)))
    else {
      val decided = expressions.map(e => WindowAggregate.of(e).left.map(LeftToSpark(e, _)))
      val aggregates = decided.collect { case Right(aggregate) => aggregate }
      // A stage of its own for what arrays evaluate: it sorts the rows for the one above.
      val (arrays, others) = aggregates
        .map(a => a -> inArrays(a))
        .partition(_._2.isDefined)
      val stages =
        Seq(arrays, others).filter(_.nonEmpty).map(some => stage(some.map(_._1), some.flatMap(_._2)))
      WindowPlan(stages, decided.collect { case Left(left) => left })
    }

  private def inArrays(aggregate: WindowAggregate): Option[KernelAggregate] =
    if (usesArrays && !merging.isNamed(aggregate.function))
      ArrayPlanner.of(aggregate, orderSpec, conf.sessionLocalTimeZone)
    else None

  private def stage(aggregates: Seq[WindowAggregate], arrays: Seq[KernelAggregate]): SlidingWindowPlan = {
    val chosen = aggregates.map(a => methods.of(a.function, a.frame))
    val answers =
      aggregates.map(a =>
        AttributeReference(a.expression.name, a.expression.dataType, a.expression.nullable)()
      )
    val planned = aggregates.zip(chosen).zipWithIndex.map { case ((a, (method, _)), answer) =>
      (a.frame, method) ->
        methods.planned(a.function, a.filter, answer, method, a.frame)
    }
    SlidingWindowPlan(
      expressions = aggregates.zip(chosen).map { case (a, (method, note)) =>
        if (arrays.isEmpty) PlannedExpression(a.expression, method, note)
        else PlannedExpression(a.expression, EvaluationMethod.ArrayKernels, None)
      },
      partitionSpec,
      orderSpec,
      // Buffers of fixed width are copied as bytes, and not slowed down by others; a merge that fails stops no others.
      frames = FrameGroups.of(planned)(a => (hasFixedWidth(a), a.isForeign)),
      answers,
      results = aggregates.zip(answers).map { case (a, answer) =>
        Alias(answer, a.expression.name)(a.expression.exprId, a.expression.qualifier)
      },
      arrays,
      sortPlacement,
      SlidewiseSettings.maxStateBytes(conf),
      conf.sessionLocalTimeZone
    )
  }

  private def hasFixedWidth(aggregate: PlannedAggregate): Boolean =
    aggregate.function.aggBufferAttributes.forall(a => StateTypes.isFixedWidth(a.dataType))
}

/** Groups aggregates by frame and method. */
private[planning] object FrameGroups {

  /**
   * @param kind
   *   aggregates of different kinds share no buffer rows
   */
  def of(
      aggregates: Seq[((SpecifiedWindowFrame, EvaluationMethod), PlannedAggregate)]
  )(kind: PlannedAggregate => Any): Seq[FramePlan] = {
    val keyed = aggregates.map { case (key, aggregate) => (key, kind(aggregate)) -> aggregate }
    keyed.map(_._1).distinct.map { case key @ ((frame, method), _) =>
      FramePlan(frame, method, keyed.collect { case (`key`, aggregate) => aggregate })
    }
  }
}
