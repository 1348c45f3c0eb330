package org.slidewise.spark.planning.hopping

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.TIME_WINDOW
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, StructType}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.{DeferredTime, HoppingWindows, WindowErrors, WindowsOfTime}
import org.slidewise.spark.shims.SparkSessions

/**
 * Resolves a hopping `window()` to a `Generate` of [[WindowsOfTime]], where Spark's analyzer would write an `Expand` with a
 * projection for each window. [[ExpandHoppingWindows]] restores Spark's `Expand` where Slidewise does not evaluate the aggregation.
 *
 * Spark's rule comes first in the batch. It does not resolve a window over a [[DeferredTime]], which the function `window` of [[in]]
 * creates. Spark expands windows that do not come from this function, such as those of the DataFrame API in 3.5.
 */
object ResolveHoppingWindows extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(TIME_WINDOW)) { case node =>
      windowOf(node).fold(undeferred(node))(generating(node, _))
    }

  /**
   * Replaces the function `window` of `session` by one that defers the times of hopping windows, and returns the rule. If that
   * fails, Spark expands hopping windows.
   */
  def in(session: SparkSession): Rule[LogicalPlan] = {
    try {
      EstimateHoppingWindows.addTo(session)
      defer(SparkSessions.of(session).sessionState.functionRegistry)
    } catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        logInfo("Spark expands hopping windows, since their function cannot be replaced", e)
    }
    this
  }

  private def defer(registry: FunctionRegistry): Unit =
    for {
      name <- registry.listFunction().find(name => name.funcName == "window" && isTimeWindow(registry, name))
      info <- registry.lookupFunction(name)
      builder <- FunctionRegistry.builtin.lookupFunctionBuilder(FunctionIdentifier("window"))
    } {
      // The registry warns of a function that replaces another.
      registry.dropFunction(name)
      registry.registerFunction(
        name,
        info,
        (arguments: Seq[Expression]) =>
          builder(arguments) match {
            case window: TimeWindow if isHopping(window) && isOn => deferred(window)
            case other                                           => other
          }
      )
    }

  private def isTimeWindow(registry: FunctionRegistry, name: FunctionIdentifier): Boolean =
    registry.lookupFunction(name).exists(_.getClassName == classOf[TimeWindow].getName)

  private def isOn: Boolean = SlidewiseSettings.hoppingWindows(SQLConf.get)

  private def isHopping(window: TimeWindow): Boolean =
    window.slideDuration > 0 && window.windowDuration > window.slideDuration

  private def deferred(window: TimeWindow): TimeWindow =
    window.copy(timeColumn = DeferredTime(window.timeColumn))

  private def undeferred(node: LogicalPlan): LogicalPlan = node.transformExpressions {
    case window: TimeWindow => undeferred(window)
  }

  private def undeferred(window: TimeWindow): TimeWindow = window.timeColumn match {
    case DeferredTime(time) if time.resolved => window.copy(timeColumn = time)
    case _                                   => window
  }

  /**
   * The only time window of `node`, if it is a hopping one that needs no further rules of Spark. None for correlated subqueries:
   * Spark allows other outer references below a `Generate` than below an `Expand`.
   */
  private def windowOf(node: LogicalPlan): Option[TimeWindow] = node match {
    case unary @ (_: Project | _: Aggregate) =>
      val found = unary.expressions.flatMap(_.collect {
        case window: TimeWindow     => Some(undeferred(window))
        case session: SessionWindow => None
      })
      found.distinct match {
        case Seq(Some(window))
            if isHopping(window) && isComplete(window) && isOn &&
              !SubExprUtils.hasOuterReferences(unary) =>
          Some(window)
        case _ => None
      }
    case _ => None
  }

  private def isComplete(window: TimeWindow): Boolean = {
    val time = window.timeColumn
    time.resolved && window.checkInputDataTypes().isSuccess && !time.dataType.isInstanceOf[StructType] &&
    time.deterministic && !time.foldable && !SubqueryExpression.hasSubquery(time)
  }

  private def generating(node: LogicalPlan, window: TimeWindow): LogicalPlan = {
    val time = window.timeColumn
    val windows = HoppingWindows(window.windowDuration, window.slideDuration, window.startTime)
    val metadata = new MetadataBuilder()
      .withMetadata(time match { case read: Attribute => read.metadata; case _ => Metadata.empty })
      .putBoolean(TimeWindow.marker, true)
      .build()
    val column = AttributeReference("window", window.dataType, metadata = metadata)()
    val child = node.children.head
    // Spark infers this filter of a column from the bounds of windows whose size is not a multiple of the slide.
    val rows =
      if (windows.ends == 0 || time.isInstanceOf[Attribute]) Filter(IsNotNull(time), child) else child
    // As in Spark's rule, with the query context of the node.
    val errors =
      if (SQLConf.get.ansiEnabled) Some(WindowErrors.of(new Add(time, time), new Subtract(time, time)))
      else None
    val generate =
      Generate(WindowsOfTime(time, windows, errors), Nil, outer = false, None, Seq(column), rows)
    node.transformExpressions { case _: TimeWindow => column }.withNewChildren(Seq(generate))
  }
}
