package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, EventTimeWatermark}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan._
import org.slidewise.spark.planning.MergePolicy
import org.slidewise.spark.shims.SparkCollations

/** Decides whether and how Slidewise evaluates a `GROUP BY` with a hopping `window()`. */
final private[planning] class HoppingWindowPlanner(conf: SQLConf) {
  import HoppingWindowPlanner._

  private lazy val merging = MergePolicy.of(conf)

  /**
   * The decision for `aggregate`, with its parts if Slidewise evaluates it. None if it does not group by a hopping window.
   *
   * Throws [[TooManyWindows]] if a row may be in more windows than the setting allows.
   *
   * @param reasonToLeave
   *   a further reason for which Spark evaluates the aggregation
   */
  def decide(
      aggregate: Aggregate,
      reasonToLeave: HoppingAggregate => Option[String] = _ => None
  ): Option[Either[HoppingDecision, (HoppingDecision, HoppingAggregate)]] =
    if (!HoppingAggregate.isHopping(aggregate)) None
    else {
      val supported = for {
        _ <- isOff.toLeft(())
        found <- HoppingAggregate.parts(aggregate)
        _ <- found.keys.find(key => !RowOrdering.isOrderable(key.dataType)).map(unordered).toLeft(())
        _ <- found.aggregates.flatMap(reasonNotToMerge).headOption.toLeft(())
        _ <- (if (aggregate.isStreaming) reasonToLeaveStream(found) else None).toLeft(())
        _ <- reasonToLeave(found).toLeft(())
      } yield found
      Some(supported match {
        case Right(found) =>
          TooManyWindows.check(found.windows, SlidewiseSettings.maxWindows(conf))
          Right(taken(found) -> found)
        case Left(reason) => Left(left(aggregate, reason))
      })
    }

  private def isOff: Option[String] =
    if (!SlidewiseSettings.enabled(conf)) Some(s"${SlidewiseSettings.Enabled} is false")
    else if (!SlidewiseSettings.hoppingWindows(conf)) Some(s"${SlidewiseSettings.HoppingWindows} is false")
    else None

  private def unordered(key: NamedExpression): String =
    s"values of type ${key.dataType.catalogString} cannot be sorted"

  private def reasonNotToMerge(aggregate: AggregateExpression): Option[String] =
    if (aggregate.isDistinct) Some("DISTINCT aggregates of panes cannot be merged")
    else
      aggregate.aggregateFunction match {
        case f @ (_: DeclarativeAggregate | _: ImperativeAggregate) =>
          merging.reasonNotToMergePartials(Families.of(f))
        case other => Some(s"${other.prettyName} does not run in the JVM")
      }

  private def reasonToLeaveStream(found: HoppingAggregate): Option[String] =
    if (!conf.getConf(SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE))
      Some(
        s"${SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE.key} is false, in which mode late rows are told by another watermark"
      )
    else if ((found.aggregates ++ found.output.condition).exists(SubqueryExpression.hasSubquery))
      Some("an aggregate or a filter of the windows reads a subquery")
    else if (found.keys.exists(_.toAttribute.metadata.contains(EventTimeWatermark.delayKey)))
      Some("a column with a watermark is grouped by beside the window")
    else
      found.keys
        .find(key => !SparkCollations.isBinaryStable(key.dataType))
        .map(key => s"different values of type ${key.dataType.sql} count as equal")

  private def left(aggregate: Aggregate, reason: String): HoppingDecision = {
    val functions =
      aggregate.aggregateExpressions.flatMap(_.collect { case a: AggregateExpression => a }).distinct
    val groups = "GROUP BY window()"
    // For DISTINCT aggregates, Spark plans groups without functions.
    val described =
      if (functions.isEmpty) Seq(HoppingFunction(groups, NamedExpression.newExprId, None, Some(reason)))
      else this.described(functions, groups)(_ => (None, Some(reason)))
    HoppingDecision(described, Some(reason))
  }

  private def taken(found: HoppingAggregate): HoppingDecision = HoppingDecision(
    described(found.aggregates, textOf(found)) { aggregate =>
      val (method, note) = merging.methodOfPartials(Families.of(aggregate.aggregateFunction))
      (Some(method), note)
    },
    None
  )

  /** The plan of the operator that evaluates `found` as decided. */
  def operator(found: HoppingAggregate, decision: HoppingDecision): HoppingWindowPlan = {
    val functions = found.aggregates.zipWithIndex.map { case (aggregate, answer) =>
      val function = withoutSubqueries(aggregate.aggregateFunction)
      val description = Families.of(Families.of(function).inGroups)
      decision.methodOf(aggregate.resultId) -> PlannedAggregate(AggregateCall(description, None), answer)
    }
    HoppingWindowPlan(
      found.windows,
      found.keys.map(_.toAttribute),
      found.window,
      found.input.pane.toAttribute,
      found.aggregates,
      functions.map(_._1).distinct.map { method =>
        FramePlan(panesOf(found), method, functions.collect { case (`method`, f) => f })
      },
      found.output,
      SlidewiseSettings.maxStateBytes(conf)
    )
  }

  private def withoutSubqueries(function: AggregateFunction): Expression =
    function.transform { case subquery: PlanExpression[_] =>
      AttributeReference("subquery", subquery.dataType, subquery.nullable)()
    }

  private def described(aggregates: Seq[AggregateExpression], groups: String)(
      decided: AggregateExpression => (Option[EvaluationMethod], Option[String])
  ): Seq[HoppingFunction] = aggregates.map { aggregate =>
    val (method, note) = decided(aggregate)
    HoppingFunction(s"${WindowSql.readable(aggregate, Map.empty)} $groups", aggregate.resultId, method, note)
  }
}

private object HoppingWindowPlanner {

  /** The frame of the panes that begin in a window. */
  private def panesOf(found: HoppingAggregate): Frame = {
    val order = SortOrder(found.input.pane.toAttribute, Ascending)
    Frame.Range(Frame.Peers, Frame.KeyBound(order, Literal(found.windows.size - 1), "UTC"))
  }

  private def textOf(found: HoppingAggregate): String = {
    def said(micros: Long) = s"'${HoppingWindows.interval(micros)}'"
    val HoppingWindows(size, slide, offset) = found.windows
    val intervals = Seq(size, slide) ++ (if (offset == 0) Nil else Seq(offset))
    val window =
      s"window(${(WindowSql.readable(found.input.time, Map.empty) +: intervals.map(said)).mkString(", ")})"
    (found.keys.map(WindowSql.readable(_, Map.empty)) :+ window).mkString("GROUP BY ", ", ", "")
  }
}
