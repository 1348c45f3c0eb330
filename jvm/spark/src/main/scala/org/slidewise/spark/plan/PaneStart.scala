package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.DataType

import org.slidewise.spark.shims.NullForNull

/**
 * Returns the start of the pane of [[HoppingWindows]] that contains a time.
 *
 * @param child
 *   a timestamp with or without time zone
 */
final case class PaneStart(child: Expression, windows: HoppingWindows)
    extends UnaryExpression
    with NullForNull {
  override def dataType: DataType = child.dataType
  override def prettyName: String = "pane_start"

  override protected def nullSafeEval(input: Any): Any = windows.pane(input.asInstanceOf[Long])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val past = ctx.freshName("past")
    nullSafeCodeGen(
      ctx,
      ev,
      time => s"""
        long $past = Math.floorMod(Math.subtractExact($time, ${windows.offset}L), ${windows.slide}L);
        ${ev.value} =
          Math.addExact(Math.subtractExact($time, $past), $past < ${windows.ends}L ? 0L : ${windows.ends}L);
      """
    )
  }

  override protected def withNewChildInternal(newChild: Expression): PaneStart = copy(child = newChild)
}
