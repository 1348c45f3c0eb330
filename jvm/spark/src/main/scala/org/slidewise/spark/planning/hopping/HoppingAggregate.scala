package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.planning.{PhysicalAggregation, PhysicalOperation}
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.expressions.GroupingKeys
import org.slidewise.spark.plan.{HoppingOutput, HoppingWindows, PaneStart}
import org.slidewise.spark.shims.SparkCollations

/**
 * The parts of a `GROUP BY` with a hopping `window()`.
 *
 * @param keys
 *   the grouping columns apart from the window, in terms of `input`
 * @param window
 *   the column of the window in `output`
 * @param aggregates
 *   the aggregate functions, in terms of `input`
 * @param output
 *   the output, in terms of the columns of `keys`, `window` and the results of `aggregates`
 */
final private[planning] case class HoppingAggregate(
    windows: HoppingWindows,
    keys: Seq[NamedExpression],
    window: Attribute,
    aggregates: Seq[AggregateExpression],
    output: HoppingOutput,
    input: HoppingInput
)

/**
 * The input rows of a `GROUP BY` with a hopping `window()`.
 *
 * @param rows
 *   the rows before expansion: projections and filters over `source`
 * @param source
 *   the part of the query's own plan that `rows` reads
 * @param time
 *   the time, in terms of the input of `rows`
 * @param pane
 *   the column of `rows` with the start of a row's pane
 */
final private[planning] case class HoppingInput(
    rows: LogicalPlan,
    source: LogicalPlan,
    time: Expression,
    pane: NamedExpression
)

private[planning] object HoppingAggregate {

  /** The parts of `aggregate`, or the reason why Slidewise cannot evaluate it. None if it does not group by a hopping window. */
  def of(aggregate: Aggregate): Option[Either[String, HoppingAggregate]] =
    if (isHopping(aggregate)) Some(parts(aggregate)) else None

  /** Whether `aggregate` groups by a hopping window. Does not read the window's arithmetic. */
  def isHopping(aggregate: Aggregate): Boolean =
    aggregate.groupingExpressions.exists(_.exists {
      case column: Attribute => WindowExpand.isWindow(column)
      case _                 => false
    }) && expandsWindow(aggregate.child)

  private def expandsWindow(plan: LogicalPlan): Boolean = plan match {
    case found if WindowExpand.isHopping(found)         => true
    case passing @ (_: Project | _: Filter | _: Expand) => expandsWindow(passing.children.head)
    case _                                              => false
  }

  /** The parts of an aggregation that groups by a hopping window, or the reason why Slidewise cannot evaluate it. */
  private[hopping] def parts(aggregate: Aggregate): Either[String, HoppingAggregate] = aggregate match {
    case PhysicalAggregation(
          grouping,
          aggregates,
          results,
          PhysicalOperation(columns, conditions, WindowExpand(expand))
        ) =>
      new Parts(expand, columns, conditions).of(grouping, aggregates, results)
    case _ => Left(OtherShape)
  }

  private val OtherShape =
    "the rows are expanded twice, as for grouping sets or several DISTINCT aggregates, or in a way that Slidewise does not know"

  /**
   * Finds the parts of an aggregation over `expand`.
   *
   * @param columns
   *   the input of the aggregation, in terms of the columns of `expand`
   * @param conditions
   *   the filters below the aggregation, in terms of the columns of `expand`
   */
  final private class Parts(
      expand: WindowExpand,
      columns: Seq[NamedExpression],
      conditions: Seq[Expression]
  ) {
    private val (windows, others) = columns.partition {
      case Alias(child, _) => child.semanticEquals(expand.window)
      case column          => column.semanticEquals(expand.window)
    }
    private val windowColumns = AttributeSet(windows.map(_.toAttribute))

    def of(
        grouping: Seq[NamedExpression],
        aggregates: Seq[AggregateExpression],
        results: Seq[NamedExpression]
    ): Either[String, HoppingAggregate] = {
      val (byWindow, keys) = grouping.partition {
        case column: Attribute => windowColumns.contains(column)
        case _                 => false
      }
      val (membership, filters) = conditions.partition(expand.isMembership)
      val (onWindows, onRows) = filters.partition(_.references.contains(expand.window))
      def readsWindow(e: Expression): Boolean = e.references.exists(windowColumns.contains)
      if (byWindow.size != 1 || keys.exists(readsWindow))
        Left("the rows are grouped by a part of the window, and not by the window itself")
      else if (aggregates.exists(readsWindow) || others.exists(_.references.contains(expand.window)))
        Left("the aggregates read the window of a row")
      else if (membership.size < expand.memberships)
        Left(OtherShape)
      else if (!onWindows.forall(isOfGroups(_, keys)))
        Left("a filter compares the window of a row with columns that are not grouped by")
      else if (!(others ++ onRows ++ aggregates ++ keys).forall(_.deterministic))
        Left("the rows have columns that are not deterministic, which Spark evaluates once for each window")
      else {
        val window = byWindow.head.toAttribute
        Right(
          HoppingAggregate(
            expand.windows,
            keys,
            window,
            aggregates,
            HoppingOutput(
              onWindows
                .map(_.transform { case column if column.semanticEquals(expand.window) => window })
                .reduceOption(And),
              results
            ),
            HoppingInput(rows(onRows, timesOf(onWindows)), expand.child, expand.time, pane)
          )
        )
      }
    }

    private val pane = Alias(PaneStart(expand.time, expand.windows, expand.errors), "pane")()

    /** Whether the condition has the same result for all rows of a group. */
    private def isOfGroups(condition: Expression, keys: Seq[NamedExpression]): Boolean = {
      val rows = AttributeSet(others.collect { case column: Attribute => column })
      val same = AttributeSet(keys.collect {
        case key: Attribute if rows.contains(key) && hasOneValue(key) => key
      })
      condition.deterministic && condition.references.subsetOf(same + expand.window)
    }

    /** Whether equal values are identical. Zeros have two signs, and some collations ignore the case of letters. */
    private def hasOneValue(key: Attribute): Boolean =
      GroupingKeys.isNormal(key) && SparkCollations.isBinaryStable(key.dataType)

    // The state of a stream holds the panes of all windows.
    private def timesOf(onWindows: Seq[Expression]): Seq[Expression] =
      if (expand.child.isStreaming) Nil else onWindows.flatMap(new TimesOfWindows(expand).of)

    private def rows(conditions: Seq[Expression], times: Seq[Expression]): LogicalPlan = {
      val computed = AttributeMap(expand.others.collect { case alias: Alias =>
        alias.toAttribute -> alias.child
      })
      def inPlace(e: Expression): Expression = e.transform { case a: Attribute => computed.getOrElse(a, a) }
      val timed = if (expand.time.nullable) Seq(IsNotNull(expand.time)) else Nil
      val needed = (conditions.map(inPlace) ++ times ++ timed).filterNot(expand.child.constraints.contains)
      val filtered = needed.reduceOption(And).fold(expand.child)(Filter(_, expand.child))
      Project(
        others.map {
          case column: Attribute => computed.get(column).fold[NamedExpression](column)(named(column, _))
          case other => named(other, inPlace(other match { case Alias(child, _) => child; case e => e }))
        } :+ pane,
        filtered
      )
    }

    private def named(column: NamedExpression, value: Expression): NamedExpression =
      Alias(value, column.name)(column.exprId, column.qualifier, Some(column.metadata))
  }
}
