package org.slidewise.spark.plan

/**
 * The plan of one operator that evaluates window functions written in Python. It is an immutable value, like
 * [[SlidingWindowPlan]].
 *
 * @param expressions
 *   each window expression with its method
 * @param functions
 *   the functions of `expressions`, in the same order
 * @param frameOf
 *   for each of the functions, the place of its frame in `frames`
 * @param frames
 *   the frames, each once
 */
final case class PythonWindowPlan(
    expressions: Seq[PlannedExpression],
    functions: Seq[PythonAggregate],
    frameOf: Seq[Int],
    frames: Seq[Frame]
) {

  /** The evaluation methods, each once; shown first in EXPLAIN. */
  def methods: Seq[EvaluationMethod] = expressions.map(_.method).distinct

  /** Whether the frame of each row is known as soon as the row has arrived. */
  def answersAtOnce: Boolean = frames.forall(_.endsAtOnce)
}
