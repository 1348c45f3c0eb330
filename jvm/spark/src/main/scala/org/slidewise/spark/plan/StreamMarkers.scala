package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.trees.TreePattern.{EVENT_TIME_WATERMARK, TreePattern}

/**
 * Marks the place where a stream enters a window. Between this node and [[StreamOutput]], nothing counts as streaming. Spark's
 * analyzer and optimizer therefore treat the `Window` in between as a window over a table.
 *
 * The window may keep rows of earlier runs, in which other values were null. Therefore all columns are nullable, and nothing is
 * known of their values.
 *
 * @param columns
 *   the columns of the analyzed child. When the optimizer replaces identifiers in the plan, it also replaces them here.
 * @param identity
 *   the identity of the window, with the identities of `columns` in their order; none until the query is started
 */
final case class StreamInput(
    child: LogicalPlan,
    columns: Seq[Attribute] = Nil,
    identity: Option[StreamIdentity] = None
) extends UnaryNode {
  override def isStreaming: Boolean = false
  override def output: Seq[Attribute] = child.output.map(_.withNullability(true))
  override val nodePatterns: Seq[TreePattern] = Seq(StreamInput.Pattern)
  // The optimizer may prune columns.
  @transient override lazy val references: AttributeSet = AttributeSet.empty
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet()
  override protected def stringArgs: Iterator[Any] = Iterator.empty
  override protected def withNewChildInternal(newChild: LogicalPlan): StreamInput = copy(child = newChild)

  /** The identity of the window, by the present identifiers of the columns. */
  def windowIdentity: Option[WindowIdentity] = identity.map { known =>
    WindowIdentity(columns.map(_.exprId).zip(known.columns).toMap, known.functions)
  }
}

object StreamInput {

  /**
   * The tree pattern that shows in constant time that a plan over tables contains no [[StreamInput]]. Spark has no pattern for the
   * nodes of other projects. This one is the pattern of watermarks, which streams have as well. Spark's rules for watermarks match
   * only Spark's own node.
   */
  private val Pattern = EVENT_TIME_WATERMARK

  /** Whether `plan` reads a stream that enters a window. */
  def isBelow(plan: LogicalPlan): Boolean = nearest(plan).isDefined

  /** The nearest place below `plan` where a stream enters a window; none if `plan` reads no such stream. */
  def nearest(plan: LogicalPlan): Option[StreamInput] =
    if (plan.containsPattern(Pattern)) plan.collectFirst { case input: StreamInput => input } else None
}

/** Marks the place where the rows of a window over a stream become a stream again. */
final case class StreamOutput(child: LogicalPlan) extends UnaryNode {
  override def isStreaming: Boolean = true
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): StreamOutput = copy(child = newChild)
}
