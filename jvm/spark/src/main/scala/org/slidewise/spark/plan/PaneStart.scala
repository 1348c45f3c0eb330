package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Add, BoundReference, Expression, Subtract, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{DataType, LongType}

import org.slidewise.spark.shims.NullForNull

/**
 * Returns the start of the pane of [[HoppingWindows]] that contains a time.
 *
 * @param child
 *   a timestamp with or without time zone
 * @param errors
 *   the errors of windows whose arithmetic overflows, as in ANSI mode; None if it wraps around
 */
final case class PaneStart(child: Expression, windows: HoppingWindows, errors: Option[WindowErrors])
    extends UnaryExpression
    with NullForNull {
  override def dataType: DataType = child.dataType
  override def prettyName: String = "pane_start"

  override protected def nullSafeEval(input: Any): Any = of(input.asInstanceOf[Long])

  /** The start of the pane that contains `time`. */
  def of(time: Long): Long = {
    for (errors <- errors; overflow <- windows.overflow(time)) errors.raise(overflow)
    windows.pane(time)
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

/**
 * Raises Spark's errors for overflows in the arithmetic of windows.
 *
 * @param add
 *   adds the two fields of a row, or fails on overflow
 * @param subtract
 *   subtracts the second field from the first, or fails on overflow
 */
final case class WindowErrors(add: Expression, subtract: Expression) {
  def raise(overflow: WindowOverflow): Unit = {
    val operation = if (overflow.isSum) add else subtract
    operation.eval(InternalRow(overflow.left, overflow.right))
  }
}

object WindowErrors {

  /** The errors of two operations that fail on overflow, with their query contexts. */
  def of(add: Add, subtract: Subtract): WindowErrors = {
    val fields = Seq(0, 1).map(BoundReference(_, LongType, nullable = false))
    WindowErrors(add.withNewChildren(fields), subtract.withNewChildren(fields))
  }
}
