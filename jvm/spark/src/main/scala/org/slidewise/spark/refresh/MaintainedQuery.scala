package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.WindowsOfTime

/**
 * A query whose results are recomputed where rows of tables have changed.
 *
 * Keys and an order key identify the results to recompute. All windows of the query partition by the keys, and sort by the order key
 * first. A changed row changes results of its keys within the reach of the frames.
 *
 * @param base
 *   the rows below the first window; or the groups, if the query has no window; or the result
 * @param keys
 *   the keys over the columns of `base`, each with the column of the result that has the same value
 * @param order
 *   the order key, in the same form; none if all results of a changed key may change
 * @param distance
 *   the reach of all windows together along the order key
 * @param notes
 *   the reasons why keys or the order key are not used
 */
final private[refresh] case class MaintainedQuery(
    result: StoredResult,
    changes: Changes,
    path: QueryPath,
    base: LogicalPlan,
    keys: Seq[(Expression, Expression)],
    order: Option[(Expression, Expression)],
    distance: Distance,
    notes: Seq[String]
) extends Maintained {
  override def areRanges: Boolean = distance.isLimited

  /**
   * The changed rows, as rows of [[base]], with their keys, the bounds of the results that they change, and the bounds of the rows
   * to read.
   */
  override def changed: LogicalPlan =
    together(changes.nodes.map(node => keyed(changes.imagesIn(base, node), bounds)))

  private def bounds: Seq[NamedExpression] = {
    def at(distance: Option[BigDecimal], sign: Int) =
      order.fold[Expression](Literal.create(null, LongType)) { case (key, _) =>
        OrderKey.at(key, distance, sign)
      }
    val both = distance.plus(Distance(distance.above, distance.below))
    Seq(
      Alias(at(distance.above, -1), Zones.First)(),
      Alias(at(distance.below, 1), Zones.Last)(),
      Alias(at(both.below, -1), Zones.ReadFirst)(),
      Alias(at(both.below, 1), Zones.ReadLast)()
    )
  }

  override def rows: LogicalPlan = Images.of(base, first, first)

  override def prunedRows(zones: Zones): LogicalPlan = Images.of(base, first, pruned(first, zones))

  /** The changed table whose rows the refresh counts. */
  private def first: LogicalPlan = changes.nodes.head

  /** The results within the zones, from the rows that their frames reach. */
  override def results(zones: Zones): LogicalPlan = {
    val prunedBase = base.transformUp {
      case table if changes.nodes.exists(_ eq table) => pruned(table, zones)
      // A filter on generated windows does not prune files.
      case generate: Generate if windowsOfOrder.exists(_._2.generatorOutput == generate.generatorOutput) =>
        val (windows, _) = windowsOfOrder.get
        timesOf(windows, zones)
          .contains(windows.child)
          .fold[LogicalPlan](generate)(condition => generate.copy(child = Filter(condition, generate.child)))
    }
    val computed = query.transformUp { case node if node eq base => read(prunedBase, zones) }
    within(computed, zones, a => a)
  }

  /** The windows of time whose start is the order key. */
  private val windowsOfOrder: Option[(WindowsOfTime, Generate)] = order.flatMap { case (key, _) =>
    path.windowsOfTime.find { case (_, generate) =>
      path.definitionOf(GetStructField(generate.generatorOutput.head, 0)) == path.definitionOf(key)
    }
  }

  /** The times of rows in the windows that start within the zones. */
  private def timesOf(windows: WindowsOfTime, zones: Zones): KeyRange =
    zones.toRead.longer(windows.windows.size)

  /** The table, without partitions that have no rows to read. */
  private def pruned(table: LogicalPlan, zones: Zones): LogicalPlan = {
    val time = windowsOfOrder.map { case (windows, _) => windows.child -> timesOf(windows, zones) }
    time.orElse(order.map(_._1 -> zones.toRead)).fold(table) { case (key, range) =>
      changes.generated.pruned(base, table, key, range, keepNulls = !areRanges)
    }
  }

  override protected def limits(zones: Zones, column: Attribute => Expression): Option[Expression] =
    order.flatMap { case (key, _) =>
      val columns = result.columns.map(a => column(a) -> changes.generated.replacedIn(path.definitionOf(a)))
      Monotone.within(columns, path.definitionOf(key), zones.results, keepNulls = !areRanges)
    }
}

private[refresh] object MaintainedQuery {

  def of(
      result: StoredResult,
      changes: Changes,
      path: QueryPath,
      resultKeys: Seq[Attribute]
  ): MaintainedQuery = {
    path.branches.flatten.foreach {
      case _: Window =>
        RefusedRefresh.refuse(
          s"results of windows are joined with other rows of ${changes.names}",
          "windows over the joined rows, or a join with the stored windows"
        )
      case _ =>
    }
    val lowest = path.nodes.lastIndexWhere(_.isInstanceOf[Window])
    val (base, keys, order, distance) =
      if (lowest >= 0) ofWindows(path, changes, lowest)
      else ofGroups(result.query, path, changes, resultKeys)
    complete(result, changes, path, base, keys, order, distance)
  }

  /** The `base` of a [[MaintainedQuery]], its keys, the order key, and the distance that windows reach along the order key. */
  private type Parts = (LogicalPlan, Seq[Expression], Option[Expression], Distance)

  private def ofWindows(path: QueryPath, changes: Changes, lowest: Int): Parts = {
    path.nodes.take(lowest).foreach {
      case node @ (_: Aggregate | _: Distinct) =>
        RefusedRefresh.refuse(s"${node.nodeName} reads results of windows", "a refresh of the windows alone")
      case _ =>
    }
    QueryPath.checkAbove(path.nodes.take(lowest + 1), changes)
    val windows = path.nodes.take(lowest + 1).collect { case window: Window => window }.reverse
    val first = windows.head
    val keys = first.partitionSpec.filter(key =>
      windows.forall(_.partitionSpec.exists(other => path.definitionOf(other) == path.definitionOf(key)))
    )
    val order = first.orderSpec.headOption
      .map(_.child)
      .filter(key =>
        windows.forall(
          _.orderSpec.headOption.exists(o => path.definitionOf(o.child) == path.definitionOf(key))
        )
      )
    val distance = if (order.isEmpty) Distance.Unlimited else Reach.of(path.nodes.take(lowest + 1).reverse)
    (first.child, keys, order, distance)
  }

  private def ofGroups(
      query: LogicalPlan,
      path: QueryPath,
      changes: Changes,
      resultKeys: Seq[Attribute]
  ): Parts = {
    val groups = path.nodes.find(node => node.isInstanceOf[Aggregate] || node.isInstanceOf[Distinct])
    val base = groups.getOrElse(query)
    QueryPath.checkAbove(path.nodes.takeWhile(_ ne base) :+ base, changes)
    val identity = groups match {
      case Some(groups: Aggregate) =>
        groups.aggregateExpressions
          .filter(c => !c.exists(_.isInstanceOf[AggregateExpression]) && c.references.nonEmpty)
          .map(_.toAttribute)
      case Some(distinct) => distinct.output
      case None           => resultKeys
    }
    val times = identity.flatMap(startOf)
    val keys = identity.filterNot(a => times.headOption.exists(_.references.contains(a)))
    (base, keys, times.headOption, Distance.Zero)
  }

  /** The time of a group: a date, a timestamp, or the start of a window of time. */
  private def startOf(column: Attribute): Option[Expression] = column.dataType match {
    case TimestampType | TimestampNTZType | DateType                          => Some(column)
    case window: StructType if window.fieldNames.toSeq == Seq("start", "end") =>
      Some(GetStructField(column, 0))
    case _ => None
  }

  private def complete(
      result: StoredResult,
      changes: Changes,
      path: QueryPath,
      base: LogicalPlan,
      keys: Seq[Expression],
      order: Option[Expression],
      distance: Distance
  ): MaintainedQuery = {
    val images = changes.nodes.map(changes.imagesIn(base, _).outputSet).reduce(_ intersect _)
    def placed(e: Expression): Either[String, (Expression, Expression)] =
      if (!e.references.subsetOf(images)) Left(s"${e.sql} depends on more than one row of ${changes.names}")
      else
        path.inResult(e, result.columns).map(e -> _).toRight {
          if (path.inResult(e, result.query.output).isEmpty) s"the result has no column ${e.sql}"
          else s"the target stores ${e.sql} with another type"
        }
    val placedKeys = keys.map(placed)
    val usable = order.filter(key => distance == Distance.Zero || OrderKey.hasDistances(key.dataType))
    val placedOrder = usable.filter(_ => distance.below.isDefined || distance.above.isDefined).map(placed)
    MaintainedQuery(
      result,
      changes,
      path,
      base,
      placedKeys.flatMap(_.toOption),
      placedOrder.flatMap(_.toOption),
      if (placedOrder.exists(_.isRight)) distance else Distance.Unlimited,
      (placedKeys ++ placedOrder).flatMap(_.left.toOption)
    )
  }
}
