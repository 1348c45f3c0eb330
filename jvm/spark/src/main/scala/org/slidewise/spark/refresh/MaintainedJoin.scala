package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.LeftSemi
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.plan.{FramedAggregate, WindowJoin}

/**
 * A query that joins rows with rows of other tables in a range of time. A changed row of the left side changes its own results. A
 * changed row of another table changes the results of the rows in whose ranges it is; these are found by a join.
 *
 * @param base
 *   the left rows below all window joins
 * @param keys
 *   the columns of `base` that identify a row of the result
 * @param joins
 *   the window joins, the lowest first
 */
final private[refresh] case class MaintainedJoin(
    query: LogicalPlan,
    source: ChangedSource,
    base: LogicalPlan,
    keys: Seq[(Expression, Expression)],
    joins: Seq[WindowJoin],
    notes: Seq[String]
) extends Maintained {
  override def order: Option[(Expression, Expression)] = None
  override def areRanges: Boolean = false
  override def rows: LogicalPlan = base

  override def changed: LogicalPlan = {
    val ofLeft =
      source.nodes.filter(n => base.exists(_ eq n)).map(n => keyed(Images.of(base, n, source.rows(n))))
    val ofRight = for {
      join <- joins
      node <- source.nodes if join.right.exists(_ eq node)
    } yield keyed(reached(join, Images.of(join.right, node, source.rows(node))))
    (ofLeft ++ ofRight).reduce[LogicalPlan]((a, b) => Union(Seq(a, b)))
  }

  private def keyed(rows: LogicalPlan): LogicalPlan = {
    val times = joins.zipWithIndex.flatMap { case (join, at) =>
      val (lower, upper) = timesOf(join)
      lower.map(Alias(_, s"${Zones.Least}$at")()) ++ upper.map(Alias(_, s"${Zones.Greatest}$at")())
    }
    keyed(rows, Zones.Bounds.map(Alias(Literal.create(null, LongType), _)()) ++ times)
  }

  private def timesOf(join: WindowJoin): (Option[Expression], Option[Expression]) = {
    def usable(time: Option[Expression]) = time.filter(_.references.subsetOf(known))
    val (lower, upper) = MaintainedJoin.timesOf(join)
    (usable(lower), usable(upper))
  }

  /** The columns of left rows that one changed row determines. */
  private val known: AttributeSet =
    source.nodes
      .filter(n => base.exists(_ eq n))
      .foldLeft(base.outputSet)((columns, n) => columns.intersect(Images.of(base, n, n).outputSet))

  /** The left rows that have one of the right rows in a range. */
  private def reached(join: WindowJoin, right: LogicalPlan): LogicalPlan = {
    val left = Images.of(join.left, base, base)
    val sameKeys = join.leftKeys.zip(join.rightKeys).map { case (a, b) => EqualTo(a, b) }
    val inRange = join.calls.map {
      case FramedAggregate(_, _, order, lower, upper, _) =>
        val limits = lower.map(v => GreaterThanOrEqual(order.child, v.child)) ++
          upper.map(v => LessThanOrEqual(order.child, v.child))
        limits.reduceOption[Expression](And(_, _)).getOrElse(Literal.TrueLiteral)
      case _ => Literal.TrueLiteral
    }.distinct
    val condition =
      (sameKeys ++ inRange.reduceOption[Expression](Or(_, _))).reduceOption[Expression](And(_, _))
    val known = left.outputSet ++ right.outputSet
    if (!condition.forall(_.references.subsetOf(known)))
      RefusedRefresh.refuse(
        "the keys or the range of a window join depend on results of another one",
        "keys and ranges of columns of the left table"
      )
    Join(left, right, LeftSemi, condition, JoinHint.NONE)
  }

  override def results(zones: Zones): LogicalPlan = {
    val places = joins.map(_.results).zipWithIndex.toMap
    val computed = query.transformUp {
      case node if node eq base                              => read(base, zones)
      case join: WindowJoin if places.contains(join.results) =>
        val (lower, upper) = timesOf(join)
        val at = places(join.results)
        zones
          .between(join.time, lower.map(_ => s"${Zones.Least}$at"), upper.map(_ => s"${Zones.Greatest}$at"))
          .fold(join)(inRange => join.copy(right = Filter(inRange, join.right)))
    }
    within(computed, zones, a => a)
  }
}

private[refresh] object MaintainedJoin {

  /** The least and the greatest time of right rows that a left row reads, over its columns; none without a limit. */
  private def timesOf(join: WindowJoin): (Option[Expression], Option[Expression]) = {
    val limits = join.calls.map {
      case framed: FramedAggregate => (framed.lower.map(_.child), framed.upper.map(_.child))
      case _                       => (None, None)
    }.distinct
    def together(values: Seq[Option[Expression]], of: Seq[Expression] => Expression): Option[Expression] =
      if (values.isEmpty || values.exists(_.isEmpty)) None
      else if (values.size == 1) values.head
      else Some(of(values.flatten))
    (together(limits.map(_._1), Least(_)), together(limits.map(_._2), Greatest(_)))
  }

  def of(
      query: LogicalPlan,
      source: ChangedSource,
      paths: Seq[QueryPath],
      resultKeys: Seq[Attribute]
  ): MaintainedJoin = {
    // From the result down along the left sides.
    def spine(node: LogicalPlan): Seq[LogicalPlan] = node match {
      case join: WindowJoin                                => join +: spine(join.left)
      case node if node.exists(_.isInstanceOf[WindowJoin]) =>
        node +: node.children.find(_.exists(_.isInstanceOf[WindowJoin])).toSeq.flatMap(spine)
      case _ => Nil
    }
    val nodes = spine(query)
    val lowest = nodes.lastIndexWhere(_.isInstanceOf[WindowJoin])
    val joins = nodes.collect { case join: WindowJoin => join }.reverse
    val above = nodes.take(lowest + 1)
    above.foreach {
      case _: Project | _: Filter | _: WindowJoin | _: SubqueryAlias | _: View =>
      case other                                                               =>
        RefusedRefresh.refuse(
          s"${other.nodeName} reads results of a window join",
          "a refresh of the window join alone"
        )
    }
    joins.foreach { join =>
      if (join.right.exists(_.isInstanceOf[Window]) || join.right.exists(_.isInstanceOf[WindowJoin]))
        RefusedRefresh.refuse(
          "a window join reads results of windows over another table",
          "a window join with a table that stores these results"
        )
    }
    val base = joins.head.left
    val path = QueryPath.along(above, base)
    val placed = resultKeys.map { key =>
      base.output
        .find(a => path.definitionOf(a) == path.definitionOf(key))
        .map(_ -> (key: Expression))
        .toRight(s"${key.name} is no column of the left table")
    }
    val left = paths.filter(p => base.exists(_ eq p.source))
    left.foreach(p =>
      if (p.nodes.exists(_.isInstanceOf[Window]))
        RefusedRefresh.refuse(
          "the left table of a window join has windows over the changed table",
          "a join with the stored windows"
        )
    )
    MaintainedJoin(
      query,
      source,
      base,
      placed.flatMap(_.toOption),
      joins,
      placed.flatMap(_.left.toOption)
    )
  }
}
