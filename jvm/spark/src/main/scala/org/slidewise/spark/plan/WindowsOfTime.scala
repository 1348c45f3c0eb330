package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  Generator,
  UnaryExpression
}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}
import org.apache.spark.sql.types.StructType

/**
 * Generates the hopping windows that contain a time, the last one first. A `Generate` with it replaces the `Expand` of Spark's
 * analyzer for a hopping `window()`, and needs no projection for each window.
 *
 * @param child
 *   a timestamp with or without time zone
 * @param errors
 *   the errors of windows whose arithmetic overflows; None if it wraps around
 */
final case class WindowsOfTime(child: Expression, windows: HoppingWindows, errors: Option[WindowErrors])
    extends UnaryExpression
    with Generator
    with CodegenFallback {

  /** Whether the query was analysed in ANSI mode. */
  def ansi: Boolean = errors.isDefined

  override def elementSchema: StructType = {
    val bounds = new StructType().add("start", child.dataType).add("end", child.dataType)
    new StructType().add("window", bounds, nullable = false)
  }

  override def prettyName: String = "hopping_windows"

  override def eval(input: InternalRow): Iterator[InternalRow] = child.eval(input) match {
    case time: Long =>
      for (errors <- errors; overflow <- windows.overflow(time)) errors.raise(overflow)
      windows.of(time).map { case (start, end) => InternalRow(InternalRow(start, end)) }
    case _ => Iterator.empty
  }

  override protected def withNewChildInternal(newChild: Expression): WindowsOfTime = copy(child = newChild)
}

/**
 * The `Generate` of [[WindowsOfTime]] once the optimizer has moved filters and projections. It has the statistics of Spark's
 * `Expand`, from which the planner chooses joins.
 */
final case class WindowedRows(generator: WindowsOfTime, window: Attribute, child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output :+ window
  override def producedAttributes: AttributeSet = AttributeSet(window)

  override def stats: Statistics = {
    def sizeOf(columns: Seq[Attribute]) = BigInt(8 + columns.map(_.dataType.defaultSize).sum)
    val size = child.stats.sizeInBytes * sizeOf(output) / sizeOf(child.output) * generator.windows.overlapping
    Statistics(sizeInBytes = size.max(1))
  }

  override protected def withNewChildInternal(newChild: LogicalPlan): WindowedRows = copy(child = newChild)
}
