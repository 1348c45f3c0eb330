package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._

/**
 * The row-wise evaluation of window expressions.
 *
 * @param frames
 *   the aggregate functions, by frame and method
 * @param answers
 *   the results of the functions in `frames`, in the order of [[PlannedAggregate.answer]]
 * @param results
 *   the window expressions in terms of `answers`
 */
final case class RowWisePlan(
    frames: Seq[FramePlan],
    answers: Seq[AttributeReference],
    results: Seq[NamedExpression]
) {

  def isEmpty: Boolean = results.isEmpty

  /** The evaluation of the expressions of both plans. */
  def and(other: RowWisePlan): RowWisePlan =
    if (other.isEmpty) this
    else
      RowWisePlan(
        frames ++ other.frames.map { frame =>
          frame.copy(aggregates = frame.aggregates.map(a => a.copy(answer = answers.size + a.answer)))
        },
        answers ++ other.answers,
        results ++ other.results
      )

  /** The evaluation methods, each once. */
  def methods: Seq[EvaluationMethod] = frames.map(_.method).distinct

  /** The attributes of an input row that frames and functions need. */
  def neededAttributes(input: Seq[Attribute], orderSpec: Seq[SortOrder]): Seq[Attribute] = {
    val order = if (frames.exists(_.frame.isInstanceOf[Frame.Range])) orderSpec else Nil
    val needed =
      AttributeSet(order ++ frames.flatMap(_.aggregates).flatMap(a => a.function.children ++ a.filter))
    input.filter(needed.contains)
  }

  /** The aggregate that computes the result number `result`; fails if the result combines several aggregates. */
  def aggregateOf(result: Int): PlannedAggregate = resultExpressions(result) match {
    case attribute: Attribute =>
      val answer = answers.indexWhere(_.exprId == attribute.exprId)
      frames.flatMap(_.aggregates).find(_.answer == answer).get
    case other => throw new IllegalStateException(s"${other.sql} is not the result of one aggregate")
  }

  /** [[results]] without their names. */
  def resultExpressions: Seq[Expression] = results.map {
    case Alias(result, _) => result
    case other            => other
  }

  /** Whether the frames of a row are known as soon as the row has arrived. */
  def answersAtOnce: Boolean = frames.forall(_.read.endsAtOnce)

  /** Whether a row waits for a number of later rows, as in ROWS ... FOLLOWING, however long they take to arrive. */
  def waitsForRows: Boolean =
    frames.exists(p => p.frame.isInstanceOf[Frame.Rows] && p.frame.looksAhead)
}

object RowWisePlan {

  /** No expressions. */
  val Empty: RowWisePlan = RowWisePlan(Nil, Nil, Nil)
}
