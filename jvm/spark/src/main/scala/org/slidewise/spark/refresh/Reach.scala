package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.planning.WindowCall

/** The total distance of all windows of a query. */
private[refresh] object Reach {

  /** @param nodes the operators from the first window up */
  def of(nodes: Seq[LogicalPlan]): Distance = {
    // A filter on results of windows changes which rows the windows above it read.
    val start = (AttributeSet.empty, false, Distance.Zero)
    nodes
      .foldLeft(start) { case ((computed, isFiltered, distance), node) =>
        node match {
          case window: Window =>
            val own = window.windowExpressions
              .flatMap(_.collect { case e: WindowExpression => distanceOf(e, window.orderSpec) })
              .foldLeft(Distance.Zero)(_ max _)
            val readsResults = isFiltered || window.expressions.exists(_.references.exists(computed.contains))
            val together = if (readsResults) own.plus(distance) else own.max(distance)
            (computed ++ AttributeSet(window.windowExpressions.map(_.toAttribute)), isFiltered, together)
          case Project(columns, _) =>
            val results = columns.collect {
              case alias: Alias if alias.references.exists(computed.contains) => alias.toAttribute
            }
            (computed ++ AttributeSet(results), isFiltered, distance)
          case other =>
            val reads = other.expressions.exists(_.references.exists(computed.contains))
            (computed, isFiltered || reads, distance)
        }
      }
      ._3
  }

  private def distanceOf(window: WindowExpression, order: Seq[SortOrder]): Distance =
    WindowCall.of(Alias(window, "w")(), SQLConf.get).fold(_ => Distance.Unlimited, Distance.of(_, order))
}
