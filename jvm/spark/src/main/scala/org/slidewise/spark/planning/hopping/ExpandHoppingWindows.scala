package org.slidewise.spark.planning.hopping

import java.util.{Collections, IdentityHashMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.GENERATE
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.plan._
import org.slidewise.spark.planning.PlanningFailure
import org.slidewise.spark.shims.SparkSessions

/**
 * Replaces the `Generate` of [[WindowsOfTime]] by Spark's own `Expand` where Slidewise does not evaluate the aggregation above. It
 * runs with the first rules of the optimizer, so that later rules find Spark's usual `Expand`.
 *
 * Throws [[TooManyWindows]] if the driver has no memory for the projections.
 *
 * @param evaluatesStreams
 *   whether Slidewise evaluates hopping windows of streams on this Spark
 */
final class ExpandHoppingWindows(session: SparkSession, evaluatesStreams: Boolean) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(GENERATE)) plan
    else {
      val evaluated = generatesOf(plan)
      plan.transformWithPruning(_.containsPattern(GENERATE)) {
        case generate @ Generate(times: WindowsOfTime, _, _, _, _, _) if !evaluated.contains(generate) =>
          expanded(generate, times, plan)
      }
    }

  /** The `Generate`s below the aggregations that Slidewise evaluates. */
  private def generatesOf(plan: LogicalPlan): java.util.Set[LogicalPlan] = {
    val found = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    plan.foreach {
      case aggregate: Aggregate if reasonToLeave(aggregate, plan).isEmpty =>
        generateBelow(aggregate.child).foreach(found.add)
      case _ => ()
    }
    found
  }

  /** The reason why Spark evaluates `aggregate`; None if Slidewise does, or if it has no hopping window. */
  private def reasonToLeave(aggregate: Aggregate, plan: LogicalPlan): Option[String] =
    if (generateBelow(aggregate.child).isEmpty) None
    else if (aggregate.isStreaming && !evaluatesStreams)
      Some("on this Spark version, Slidewise has no windows over streams")
    else if (aggregate.isStreaming && plan.exists(_.isInstanceOf[HoppingLeftToSpark]))
      Some("Spark's own operators have begun the checkpoint")
    else
      PlanningFailure.leaveToSpark("a hopping window") {
        new HoppingWindowPlanner(SQLConf.get).decide(aggregate) match {
          case Some(Right(_))       => None
          case Some(Left(decision)) => decision.reasonToLeave
          case None                 => Some("the rows are not grouped by the window itself")
        }
      }(failure => Some(failure.toString))

  private def generateBelow(plan: LogicalPlan): Option[Generate] = plan match {
    case Project(_, child)                                    => generateBelow(child)
    case Filter(_, child)                                     => generateBelow(child)
    case generate @ Generate(_: WindowsOfTime, _, _, _, _, _) => Some(generate)
    case _                                                    => None
  }

  private def expanded(generate: Generate, times: WindowsOfTime, plan: LogicalPlan): LogicalPlan = {
    val reason = plan
      .collectFirst {
        case aggregate: Aggregate if generateBelow(aggregate.child).exists(_ eq generate) =>
          reasonToLeave(aggregate, plan)
      }
      .flatten
      .getOrElse("no GROUP BY reads the windows alone")
    TooManyWindows.checkForSpark(times.windows, Runtime.getRuntime.maxMemory, reason)
    val conf = SQLConf.get
    if (conf.ansiEnabled == times.ansi) expanded(generate, times)
    else {
      val analysed = conf.clone()
      analysed.setConf(SQLConf.ANSI_ENABLED, times.ansi)
      SQLConf.withExistingConf(analysed)(expanded(generate, times))
    }
  }

  /** The `Expand` that Spark's analyzer writes for the windows. */
  private def expanded(generate: Generate, times: WindowsOfTime): LogicalPlan = {
    val HoppingWindows(size, slide, offset) = times.windows
    val time = AttributeReference("time", times.child.dataType, times.child.nullable)()
    val window = TimeWindow(time, size, slide, offset)
    val analysed = SparkSessions
      .of(session)
      .sessionState
      .analyzer
      .execute(Project(Seq(Alias(window, "window")()), LocalRelation(time)))
    val expand = analysed.collectFirst { case expand: Expand => expand }.get
    val column = generate.qualifiedGeneratorOutput.head
    def inPlace(expression: Expression): Expression = expression.transform {
      case a: Attribute if a.exprId == time.exprId               => times.child
      case a: Attribute if a.exprId == expand.output.head.exprId => column
    }
    val others = generate.child.output
    val rows =
      Expand(expand.projections.map(p => inPlace(p.head) +: others), column +: others, generate.child)
    val membership = analysed.collect {
      case Filter(condition, _) if times.windows.ends != 0 => inPlace(condition)
    }
    // The optimizer removes the projection together with unneeded columns.
    Project(
      generate.output,
      membership.foldLeft[LogicalPlan](rows)((below, condition) => Filter(condition, below))
    )
  }
}
