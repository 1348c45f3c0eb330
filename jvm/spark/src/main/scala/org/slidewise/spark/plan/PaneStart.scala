package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{EvalMode, Expression, Literal, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.types.DataType

import org.slidewise.spark.shims.{NullForNull, SparkExpressions}

/**
 * Returns the start of the pane of [[HoppingWindows]] that contains a time. The origin of this expression is the query context of
 * its errors.
 *
 * @param child
 *   a timestamp with or without time zone
 * @param failOnError
 *   whether to fail as Spark does in ANSI mode where the arithmetic of a window overflows
 */
final case class PaneStart(child: Expression, windows: HoppingWindows, failOnError: Boolean)
    extends UnaryExpression
    with NullForNull {
  override def dataType: DataType = child.dataType
  override def prettyName: String = "pane_start"

  override protected def nullSafeEval(input: Any): Any = of(input.asInstanceOf[Long])

  /** The start of the pane that contains `time`. */
  def of(time: Long): Long = {
    if (failOnError) windows.overflow(time).foreach(fail)
    windows.pane(time)
  }

  private def fail(overflow: WindowOverflow): Unit = CurrentOrigin.withOrigin(origin) {
    val (left, right) = (Literal(overflow.left), Literal(overflow.right))
    val operation =
      if (overflow.isSum) SparkExpressions.add(left, right, EvalMode.ANSI)
      else SparkExpressions.subtract(left, right, EvalMode.ANSI)
    operation.eval()
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val past = ctx.freshName("past")
    val self = ctx.addReferenceObj("paneStart", this)
    val (least, greatest) = windows.safeTimes
    nullSafeCodeGen(
      ctx,
      ev,
      time => s"""
        if ($time < ${least}L || $time > ${greatest}L) {
          ${ev.value} = $self.of($time);
        } else {
          long $past = Math.floorMod($time - ${windows.offset}L, ${windows.slide}L);
          ${ev.value} = $time - $past + ($past < ${windows.ends}L ? 0L : ${windows.ends}L);
        }
      """
    )
  }

  override protected def withNewChildInternal(newChild: Expression): PaneStart = copy(child = newChild)
}
