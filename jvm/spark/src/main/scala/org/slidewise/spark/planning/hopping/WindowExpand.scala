package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.TimeWindow
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Generate, LogicalPlan}
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.{HoppingWindows, WindowedRows, WindowErrors, WindowsOfTime}

/**
 * The rows of a hopping `window()`, a copy of each row for every window that may contain it: the `Generate` or [[WindowedRows]] of
 * [[WindowsOfTime]], or the `Expand` that Spark's analyzer writes in sessions that `Slidewise.install` has switched on and for the
 * DataFrame API of 3.5.
 *
 * @param window
 *   the column of the window
 * @param time
 *   the time, in terms of `child`
 * @param errors
 *   the errors of windows whose arithmetic overflows; None if it wraps around
 * @param others
 *   the other columns, in terms of `child`
 * @param memberships
 *   the number of conditions with which Spark, above, drops copies outside their window
 */
final private[planning] case class WindowExpand(
    windows: HoppingWindows,
    window: Attribute,
    time: Expression,
    errors: Option[WindowErrors],
    others: Seq[NamedExpression],
    child: LogicalPlan,
    memberships: Int
) {

  /** Whether `condition` tests that the time is in the window. Spark adds this filter if some copies may lie outside it. */
  def isMembership(condition: Expression): Boolean = condition match {
    case GreaterThanOrEqual(t, bound) => isTime(t) && isBound(bound, "start")
    case LessThanOrEqual(bound, t)    => isTime(t) && isBound(bound, "start")
    case LessThan(t, bound)           => isTime(t) && isBound(bound, "end")
    case GreaterThan(bound, t)        => isTime(t) && isBound(bound, "end")
    case _                            => false
  }

  private def isTime(expression: Expression): Boolean = expression.semanticEquals(time)

  /** Whether the expression is the bound `name` of the window, `start` or `end`. */
  def isBound(expression: Expression, name: String): Boolean = expression match {
    case field @ GetStructField(column, _, _) =>
      column.semanticEquals(window) && field.childSchema(field.ordinal).name == name
    case _ => false
  }
}

private[planning] object WindowExpand {

  /** Whether `column` is the result of a `window()`. */
  def isWindow(column: NamedExpression): Boolean =
    column.resolved && column.metadata.contains(TimeWindow.marker) && column.dataType.isInstanceOf[StructType]

  /** Whether `plan` adds the column of a hopping window. Does not read the window's arithmetic. */
  def isHopping(plan: LogicalPlan): Boolean = plan match {
    case Expand(copies, columns, _)                => copies.size > 1 && columns.headOption.exists(isWindow)
    case Generate(_: WindowsOfTime, _, _, _, _, _) => true
    case _: WindowedRows                           => true
    case _                                         => false
  }

  /** The hopping windows of `plan`; None if `plan` has none of these shapes. */
  def unapply(plan: LogicalPlan): Option[WindowExpand] = plan match {
    case WindowedRows(times, window, child) => Some(of(times, window, child.output, child))
    case generate @ Generate(times: WindowsOfTime, _, _, _, Seq(window), child) =>
      Some(of(times, window, generate.requiredChildOutput, child))
    case expand: Expand => of(expand)
    case _              => None
  }

  private def of(
      times: WindowsOfTime,
      window: Attribute,
      others: Seq[Attribute],
      child: LogicalPlan
  ): WindowExpand =
    WindowExpand(
      times.windows,
      window,
      times.child,
      times.errors,
      others,
      child,
      memberships = 0
    )

  private def of(expand: Expand): Option[WindowExpand] = for {
    window <- expand.output.headOption
    if isWindow(window) && expand.projections.size > 1
    others <- copied(expand)
    found <- of(window, expand.projections.map(_.head))
    (windows, time) = found
    memberships = if (windows.ends == 0) 0 else 2
  } yield WindowExpand(windows, window, time, errorsOf(expand), others, expand.child, memberships)

  private def errorsOf(expand: Expand): Option[WindowErrors] = {
    val copy = expand.projections.head.head
    for {
      add <- copy.collectFirst { case add: Add => add }
      subtract <- copy.collectFirst { case subtract: Subtract => subtract }
      if subtract.evalMode == EvalMode.ANSI
    } yield WindowErrors.of(add, subtract)
  }

  private def copied(expand: Expand): Option[Seq[NamedExpression]] = {
    val columns = expand.output.tail.zip(expand.projections.map(_.tail).transpose)
    if (columns.forall { case (_, values) => values.forall(_.semanticEquals(values.head)) })
      Some(columns.map {
        case (column, Seq(same: Attribute, _*)) if same.exprId == column.exprId => column
        case (column, values)                                                   =>
          Alias(values.head, column.name)(column.exprId, column.qualifier, Some(column.metadata))
      })
    else None
  }

  private def of(window: Attribute, copies: Seq[Expression]): Option[(HoppingWindows, Expression)] = {
    val timeType = window.dataType.asInstanceOf[StructType].headOption.map(_.dataType)
    val forms = new LinearForms(timeType.getOrElse(NullType))
    val bounds = copies.map {
      case CreateNamedStruct(Seq(Literal(_, StringType), start, Literal(_, StringType), end)) =>
        for (s <- forms.ofTimestamp(start); e <- forms.ofTimestamp(end)) yield (s, e)
      case _ => None
    }
    for {
      time <- forms.timeColumn
      remainders <- forms.remainders
      if time.deterministic && bounds.forall(_.isDefined)
      windows <- windowsOf(bounds.flatten, remainders)
    } yield (windows, time)
  }

  /**
   * The windows, if `bounds` are those of the last window that starts up to the time, and of all windows before it that may contain
   * the time.
   */
  private def windowsOf(bounds: Seq[(LinearForm, LinearForm)], by: Remainders): Option[HoppingWindows] = {
    val starts = bounds.map(_._1)
    val sizes = bounds.map { case (start, end) => end + -start }.distinct
    sizes match {
      case Seq(LinearForm(0, 0, size)) if size > by.slide =>
        val windows = HoppingWindows(size, by.slide, by.offset)
        val expected = bounds.indices.map(i => LinearForm(1, -1, -i * by.slide))
        if (bounds.size == windows.overlapping && starts.sortBy(-_.constant) == expected) Some(windows)
        else None
      case _ => None
    }
  }
}
