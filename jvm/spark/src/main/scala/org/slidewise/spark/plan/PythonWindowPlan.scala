package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._

/**
 * How one operator evaluates window functions that are written in Python: an immutable value, as [[SlidingWindowPlan]].
 *
 * @param expressions
 *   each window expression with its method
 * @param functions
 *   theirs, in the same order
 * @param frameOf
 *   for each of them, the place of its frame in `frames`
 * @param frames
 *   the frames, each once
 */
final case class PythonWindowPlan(
    expressions: Seq[PlannedExpression],
    functions: Seq[PythonAggregate],
    frameOf: Seq[Int],
    frames: Seq[SpecifiedWindowFrame]
) {

  /** The evaluation methods, each once; shown first in EXPLAIN. */
  def methods: Seq[EvaluationMethod] = expressions.map(_.method).distinct

  /** Whether the frame of each row is known as soon as the row has arrived. */
  def answersAtOnce: Boolean = frames.forall(FrameShape.endsByCurrentRow)
}
