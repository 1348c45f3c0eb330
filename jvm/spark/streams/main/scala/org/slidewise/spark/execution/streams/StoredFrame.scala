package org.slidewise.spark.execution.streams

import org.slidewise.spark.expressions.DistinctAggregate
import org.slidewise.spark.plan.{EvaluationMethod, FramePlan}

/** A column of stored rows or of an aggregation buffer. */
final private[streams] case class StoredColumn(name: String, sqlType: String) {
  override def toString: String = s"$name $sqlType"
}

/**
 * An aggregate function whose state a checkpoint keeps.
 *
 * @param sql
 *   the function with its arguments and filter
 * @param implementation
 *   its class
 * @param buffer
 *   the fields of its aggregation buffer; of a function whose buffer is an object, the binary field it is serialized to
 * @param objectType
 *   the type of such an object, if Spark's encoder of a user's `Aggregator` serializes it
 * @param guard
 *   the buffer fields of the aggregate that tells when the function must be recalculated; empty if there is none
 */
final private[streams] case class StoredFunction(
    sql: String,
    implementation: String,
    buffer: Seq[StoredColumn],
    objectType: Option[String],
    guard: Seq[StoredColumn]
) {

  /** The form in which the state is kept. */
  def form: String =
    s"$implementation with the buffer (${buffer.mkString(", ")})" + objectType.fold("")(t =>
      s" of an object $t"
    ) +
      (if (guard.isEmpty) "" else s" and the guard (${guard.mkString(", ")})")
}

/**
 * The functions of one frame.
 *
 * @param state
 *   what is kept for them beside the rows; see [[StoredFrame]]
 */
final private[streams] case class StoredFrame(frame: String, state: String, functions: Seq[StoredFunction]) {

  /** The same for the same functions in another order. */
  def identity: (String, Seq[String]) = (frame, functions.map(_.sql).sorted)

  override def toString: String = s"${functions.map(_.sql).mkString(", ")} OVER $frame"
}

private[streams] object StoredFrame {
  import EvaluationMethod.{AdditiveSummaries, Recalculation, SlidingMultiset}

  /** Partial aggregates of blocks of rows. */
  val Buffers = "buffers"

  /** Nothing: the frame is computed from its rows. */
  val Rows = "rows"

  /** The rows with the last occurrence of each distinct tuple; the frame's other rows are not kept for it. */
  val LastOccurrences = "last-occurrences"

  /** Summaries of the last rows. */
  val Summaries = "summaries"

  /** What is kept for a frame. */
  def stateOf(frame: FramePlan): String = frame.method match {
    case AdditiveSummaries                      => Summaries
    case SlidingMultiset if isOfDistinct(frame) => LastOccurrences
    case Recalculation | SlidingMultiset        => Rows
    case _                                      => Buffers
  }

  /** A percentile or a mode needs all rows of the frame, and then the others have them, too. */
  private def isOfDistinct(frame: FramePlan) =
    frame.aggregates.forall(_.function.isInstanceOf[DistinctAggregate])
}
