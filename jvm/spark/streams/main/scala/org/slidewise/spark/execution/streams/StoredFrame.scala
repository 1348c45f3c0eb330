package org.slidewise.spark.execution.streams

import org.slidewise.spark.plan.{EvaluationMethod, FramePlan, Identity}

/** A column of an aggregation buffer. */
final private[streams] case class StoredColumn(name: String, sqlType: String) {
  override def toString: String = s"$name $sqlType"
}

/**
 * A column of stored rows or keys.
 *
 * @param storedType
 *   the type of the column, with the nullability of elements and fields; the column itself is always nullable
 */
final private[streams] case class StoredInput(column: Identity, storedType: String) {
  override def toString: String = s"${column.sql} $storedType"

  /** A value that is equal for equal columns. */
  def identity: (String, String) = (column.canonical, storedType)
}

/**
 * An aggregate function whose state a checkpoint keeps.
 *
 * @param function
 *   the function of the query with its arguments and filter
 * @param part
 *   the number of this function among the aggregate functions that compute a function of the query
 * @param implementation
 *   the class of the function
 * @param buffer
 *   the fields of the aggregation buffer; if the buffer is an object, the binary field of the serialized object
 * @param objectType
 *   the type of such an object, if Spark's encoder of a user's `Aggregator` serializes it
 * @param guard
 *   the buffer fields of the guard, which finds frames that must be recalculated; empty if there is no guard
 */
final private[streams] case class StoredFunction(
    function: Identity,
    part: Int,
    implementation: String,
    buffer: Seq[StoredColumn],
    objectType: Option[String],
    guard: Seq[StoredColumn]
) {

  def sql: String = function.sql

  /** A value that is equal for equal functions. */
  def identity: (String, Int) = (function.canonical, part)

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
 *   the kind of state that is kept for the functions beside the rows; see [[StoredFrame]]
 */
final private[streams] case class StoredFrame(
    frame: Identity,
    state: String,
    functions: Seq[StoredFunction]
) {

  /** A value that is equal for frames with the same functions in any order. */
  def identity: (String, Seq[(String, Int)]) = (frame.canonical, functions.map(_.identity).sorted)

  override def toString: String = s"${functions.map(_.sql).mkString(", ")} OVER $frame"
}

private[streams] object StoredFrame {
  import EvaluationMethod.{AdditiveSummaries, Recalculation, SlidingMultiset}

  /** Partial aggregates of blocks of rows. */
  val Buffers = "buffers"

  /** No further state: the frame is computed from its rows. */
  val Rows = "rows"

  /** The rows with the last occurrence of each distinct tuple; the frame's other rows are not kept for it. */
  val LastOccurrences = "last-occurrences"

  /** Summaries of the last rows. */
  val Summaries = "summaries"

  /**
   * The kind of state that is kept for a frame. A percentile or a mode needs all rows of the frame, so the other functions of the
   * frame use these rows, too.
   */
  def stateOf(frame: FramePlan): String = frame.method match {
    case AdditiveSummaries                                                      => Summaries
    case SlidingMultiset if frame.aggregates.forall(_.description.isOfDistinct) => LastOccurrences
    case Recalculation | SlidingMultiset                                        => Rows
    case _                                                                      => Buffers
  }
}
