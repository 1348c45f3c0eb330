package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.LeftSemi
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.{FramedAggregate, WindowJoin}
import org.slidewise.spark.planning.joins.BoundLimit

/**
 * A query that joins rows with rows of other tables in a range of time. A changed row of the left side changes its own results. A
 * changed row of another table changes the results of the left rows whose ranges contain it. A join finds these left rows.
 *
 * @param base
 *   the left rows below all window joins
 * @param keys
 *   the columns of `base` that identify a row of the result
 * @param joins
 *   the window joins, the lowest first
 * @param path
 *   the operators from the result to `base`
 */
final private[refresh] case class MaintainedJoin(
    result: StoredResult,
    changes: Changes,
    base: LogicalPlan,
    keys: Seq[(Expression, Expression)],
    joins: Seq[WindowJoin],
    path: QueryPath,
    notes: Seq[String]
) extends Maintained {
  override def order: Option[(Expression, Expression)] = None
  override def areRanges: Boolean = false
  override def rows: LogicalPlan = base
  override def prunedRows(zones: Zones): LogicalPlan =
    limitsOf(zones, a => Some(a)).fold(base)(Filter(_, base))

  override def changed: LogicalPlan = {
    val ofRight = for {
      join <- joins
      node <- changes.nodes if join.right.exists(_ eq node)
    } yield keyed(reached(join, changes.imagesIn(join.right, node)))
    together(ofBase.map(keyed) ++ ofRight)
  }

  private def keyed(rows: LogicalPlan): LogicalPlan = {
    val times = joins.zipWithIndex.flatMap { case (join, at) =>
      val (lower, upper) = timesOf(join, known)
      lower.map(Alias(_, least(at))()) ++ upper.map(Alias(_, greatest(at))())
    }
    val own = limited.zipWithIndex.flatMap { case (column, at) =>
      Seq(Alias(column, least(joins.size + at))(), Alias(column, greatest(joins.size + at))())
    }
    keyed(rows, Zones.Bounds.map(Alias(Literal.create(null, LongType), _)()) ++ times ++ own)
  }

  private def least(at: Int) = s"${Zones.Least}$at"
  private def greatest(at: Int) = s"${Zones.Greatest}$at"

  /** Columns of the left rows whose range of values in the changed rows prunes partitions and files. */
  private lazy val limited: Seq[Attribute] = {
    val inResult = result.columns.map(path.definitionOf).toSet
    def of(kinds: DataType*) = base.output.filter { column =>
      known.contains(column) && inResult(column.canonicalized) && kinds.contains(column.dataType)
    }
    (of(DateType, TimestampType, TimestampNTZType) ++ of(IntegerType, LongType)).take(8)
  }

  /**
   * The condition on the [[limited]] columns that all changed left rows meet. `place` maps a column to an expression, or to none if
   * there is no such expression.
   */
  private def limitsOf(zones: Zones, place: Attribute => Option[Expression]): Option[Expression] = {
    val conditions = for {
      (column, at) <- limited.zipWithIndex
      found <- place(column)
      within <- zones.between(least(joins.size + at), greatest(joins.size + at)).contains(found)
    } yield Or(IsNull(found), within)
    conditions.reduceOption[Expression](And(_, _))
  }

  override protected def limits(zones: Zones, column: Attribute => Expression): Option[Expression] =
    limitsOf(zones, left => result.columns.find(a => path.definitionOf(a) == left.canonicalized).map(column))

  /** The least and the greatest time of right rows that a left row reads, over these of its columns; none without a limit. */
  private def timesOf(
      join: WindowJoin,
      columns: AttributeSet
  ): (Option[Expression], Option[Expression]) = {
    def usable(time: Option[Expression]) = time.filter(_.references.subsetOf(columns))
    (usable(BoundLimit.lowest(join)), usable(BoundLimit.highest(join)))
  }

  /** The columns of left rows that one changed row determines. */
  private lazy val known: AttributeSet = ofBase.foldLeft(base.outputSet)(_ intersect _.outputSet)

  private lazy val ofBase: Seq[LogicalPlan] = MaintainedJoin.ofChanged(changes, base)

  /** The left rows with at least one of the right rows in a range. */
  private def reached(join: WindowJoin, right: LogicalPlan): LogicalPlan = {
    val left = withBase(Images.of(join.left, base, base))
    val sameKeys = join.leftKeys.zip(join.rightKeys).map { case (a, b) => EqualTo(a, b) }
    val inRange = join.calls.map {
      case FramedAggregate(_, _, order, lower, upper, _) =>
        // A left row whose bound fails is read, so that the refresh fails if and only if the whole query does.
        val limits = lower.map(v => GreaterThanOrEqual(order.child, BoundLimit.lower(v.child))) ++
          upper.map(v => LessThanOrEqual(order.child, BoundLimit.upper(v.child)))
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

  /** The rows of operators above `base`, with the columns of `base` that their projections drop. */
  private def withBase(plan: LogicalPlan): LogicalPlan =
    if (plan eq base) plan
    else
      plan.mapChildren(withBase) match {
        case project @ Project(columns, child) =>
          Project(
            columns ++ child.output.filter(a => base.outputSet.contains(a) && !project.outputSet.contains(a)),
            child
          )
        case other => other
      }

  override def results(zones: Zones): LogicalPlan = {
    val places = joins.map(_.results).zipWithIndex.toMap
    val left = read(prunedRows(zones), zones)
    val times = timesOfRead(left, zones)
    val computed = query.transformUp {
      case node if node eq base                              => left
      case join: WindowJoin if places.contains(join.results) =>
        val ofJoin = times(places(join.results))
        ofJoin.contains(join.time).fold(join) { inRange =>
          join.copy(right = Filter(inRange, prunedRight(join, ofJoin)))
        }
    }
    within(computed, zones, a => a)
  }

  /** For each join, the times of right rows that the left rows to read need. */
  private def timesOfRead(left: LogicalPlan, zones: Zones): Seq[KeyRange] = {
    // Of several left rows with the keys of one result, a filter drops all but one. Another one than this may have changed.
    val areChanged = notes.isEmpty && !path.all.exists(_.isInstanceOf[Filter])
    if (areChanged) joins.indices.map(at => zones.between(least(at), greatest(at)))
    else zones.rangesIn(left, joins.map(timesOf(_, left.outputSet)))
  }

  /** The right rows, without partitions that have no rows in a range of time. */
  private def prunedRight(join: WindowJoin, times: KeyRange): LogicalPlan =
    join.right.transformUp {
      case node if changes.generated.isOf(node) =>
        changes.generated.pruned(join.right, node, join.time, times, keepNulls = false)
    }
}

private[refresh] object MaintainedJoin {

  /** For each changed table below `base`, the left rows to which its changed rows contribute. */
  private def ofChanged(changes: Changes, base: LogicalPlan): Seq[LogicalPlan] =
    changes.nodes.filter(n => base.exists(_ eq n)).map(changes.imagesIn(base, _))

  def of(
      result: StoredResult,
      changes: Changes,
      found: QueryPath,
      resultKeys: Seq[Attribute]
  ): MaintainedJoin = {
    // From the result down along the left sides.
    def spine(node: LogicalPlan): Seq[LogicalPlan] = node match {
      case join: WindowJoin                                => join +: spine(join.left)
      case node if node.exists(_.isInstanceOf[WindowJoin]) =>
        node +: node.children.find(_.exists(_.isInstanceOf[WindowJoin])).toSeq.flatMap(spine)
      case _ => Nil
    }
    val nodes = spine(result.query)
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
    val path = QueryPath.along(above)
    val known = ofChanged(changes, base).foldLeft(base.outputSet)(_ intersect _.outputSet)
    val placed = resultKeys.map { key =>
      base.output.find(a => path.definitionOf(a) == path.definitionOf(key)) match {
        case None                                    => Left(s"${key.name} is no column of the left table")
        case Some(column) if !known.contains(column) =>
          Left(s"${key.name} depends on more than one row of ${changes.names}")
        case _ if !result.columns.contains(key) => Left(s"the target stores ${key.name} with another type")
        case Some(column)                       => Right(column -> (key: Expression))
      }
    }
    found.all.foreach {
      case window: Window if base.exists(_ eq window) =>
        RefusedRefresh.refuse(
          "the left table of a window join has windows over a changed table",
          "a join with the stored windows"
        )
      case _ =>
    }
    MaintainedJoin(
      result,
      changes,
      base,
      placed.flatMap(_.toOption),
      joins,
      path,
      placed.flatMap(_.left.toOption)
    )
  }
}
