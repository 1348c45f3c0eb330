package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.frames.{FrameFinder, FrameMultiset, FrameMultisets, LastOccurrences}
import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.expressions.RowStructure
import org.slidewise.spark.plan.{FramePlan, RowMultiset}

/**
 * Evaluates DISTINCT aggregates of one frame from the last occurrences of its tuples. A tuple is in the frame exactly if its last
 * occurrence before the end of the frame is.
 *
 * A row that enters the frame, and that a function counts, is appended to the evaluator's log with its position. Rows leave the log
 * at the old end when they leave the frame. A row whose tuples all have later occurrences stays until the log is compacted.
 * Compaction appends the needed rows again and removes all rows before them.
 *
 * State, with d distinct tuples in the frame, summed over the functions: at most 2d + [[StreamDistinctEvaluator.Slack]] rows, with the
 * columns that the functions need. Cost: amortised O(1) for each row and function, beside the results of functions other than
 * count; O(d) for the first result of a key in a batch. Memory: the tuples (see [[FrameMultiset]]), and the blocks of the log.
 *
 * Invariants, between calls:
 *   - D1: the log holds rows before `entered`, in the order of their positions, among them the last occurrence of each tuple that
 *     is in the frame;
 *   - D2: once the log has been read, the multisets hold its rows.
 *
 * @param bounds
 *   the finder of the frame, of which `hi` and `hasLeft` are used
 * @param columns
 *   the columns of `rows`
 * @param blocks
 *   the cells of the log's blocks
 */
final private[streams] class StreamDistinctEvaluator(
    plan: FramePlan,
    override val bounds: FrameFinder,
    columns: KeptColumns,
    rows: RowsByPosition,
    blocks: FrameCells,
    resources: TaskResources,
    cancellation: CancellationCheck,
    answers: InternalRow
) extends StreamFrameEvaluator {
  import StreamDistinctEvaluator._
  import columns.timeField

  private[this] val occurrence = Position +: columns.kept
  private[this] val blockMemory = new TaskBlockMemory(resources)
  private[this] val log =
    new StateLog(
      blocks.cells,
      blocks.section,
      new RowStructure(occurrence.map(_.dataType)),
      blockMemory
    )
  private[this] val occurrences = log.reader()

  private[this] val multisets = new FrameMultisets[LastOccurrences](
    plan.aggregates,
    resources,
    (planned, memory) =>
      planned.description.multiset match {
        case Some(distinct: RowMultiset.Distinct) =>
          FrameMultiset.ofDistinct(distinct, planned.filter, occurrence, memory)
        case _ =>
          throw new IllegalArgumentException(s"${planned.description.name} is not of distinct values")
      }
  )

  private[this] val project = UnsafeProjection.create(occurrence, Position +: columns.all)
  private[this] val positioned = new JoinedRow
  private[this] val place = new SpecificInternalRow(Seq(LongType))

  // Rows before this position have entered the frame.
  private[this] var entered = 0L
  private[this] var isRead = true
  private[this] var moved = 0L

  // The bounds may be ahead of the last answered row, if the frame of another evaluator is not complete.
  override def oldestNeeded: Long = entered

  override def evaluate(): Unit = {
    if (!isRead) read()
    while (entered < bounds.hi) enter()
    leave()
    compactIfLong()
    multisets.writeTo(answers)
  }

  private def read(): Unit = {
    isRead = true
    var last = -1L
    var at = log.first
    while (at < log.end) {
      val row = occurrences(at)
      val position = row.getLong(PositionField)
      if (position <= last || position >= entered)
        throw new CorruptState(s"a row at position $position of $entered comes after one at $last")
      add(row, position)
      last = position
      at += 1
    }
  }

  private def enter(): Unit = {
    place.setLong(0, entered)
    val row = project(positioned(place, rows(entered)))
    if (add(row, entered)) log.append(row)
    entered += 1
    compactIfLong()
  }

  /** Whether a function counts the row. */
  private def add(row: UnsafeRow, position: Long): Boolean = {
    var counts = false
    var i = 0
    while (i < multisets.all.length) {
      counts |= multisets.all(i).add(row, position)
      i += 1
    }
    count()
    counts
  }

  private def remove(row: UnsafeRow): Unit = {
    multisets.remove(row)
    count()
  }

  private def count(): Unit = {
    moved += 1
    cancellation.step()
  }

  private def leave(): Unit = {
    var at = log.first
    while (at < log.end && hasLeft(occurrences(at))) {
      remove(occurrences(at))
      at += 1
    }
    log.release(at)
  }

  private def hasLeft(row: UnsafeRow) =
    bounds.hasLeft(row.getLong(PositionField), if (timeField < 0) 0L else row.getLong(timeField + 1))

  /**
   * Compacts the log if it is long. Since the last compaction, a log of this length has then got at least as many new rows as it
   * keeps.
   */
  private def compactIfLong(): Unit = {
    val length = log.end - log.first
    if (length > Slack && length > 2L * tuples + Slack) compact()
  }

  private def tuples: Long = {
    var sum = 0L
    var i = 0
    while (i < multisets.all.length) {
      sum += multisets.all(i).size
      i += 1
    }
    sum
  }

  private def compact(): Unit = {
    val end = log.end
    var at = log.first
    while (at < end) {
      val row = occurrences(at)
      if (isLast(row)) log.append(row) else remove(row)
      at += 1
    }
    log.release(end)
  }

  /** Whether a function has the last occurrence of a tuple in this row. */
  private def isLast(row: UnsafeRow): Boolean = {
    val position = row.getLong(PositionField)
    var i = 0
    while (i < multisets.all.length && !multisets.all(i).isLast(row, position)) i += 1
    i < multisets.all.length
  }

  override def combines: Long = moved * multisets.count

  override def reset(): Unit = {
    bounds.reset()
    entered = 0L
    log.reopen(0L, 0L, PendingBlock.Empty)
    multisets.clear()
    isRead = true
  }

  override def drop(): Unit = log.release(log.end)

  override def writeTo(out: StateWriter): Unit = {
    StreamFrameEvaluator.writeBounds(bounds, out)
    out.long(entered)
    val open = log.close()
    out.long(log.first)
    out.long(log.end)
    out.bytes(open)
  }

  override def reopen(in: ByteBuffer): Unit = {
    StreamFrameEvaluator.readBounds(bounds, in)
    entered = in.getLong()
    if (entered < 0 || entered > bounds.hi)
      throw new CorruptState(s"$entered rows have entered a frame that ends before position ${bounds.hi}")
    log.reopen(in.getLong(), in.getLong(), StateWriter.readBytes(in))
    multisets.clear()
    isRead = false
  }

  override def close(): Unit = {
    multisets.releaseAll()
    blockMemory.close()
  }
}

/**
 * The columns of the rows of a frame.
 *
 * @param kept
 *   the columns that the functions and the bounds need
 * @param timeField
 *   the ordinal of the event time in `kept`, if it is there, otherwise negative
 */
final private[streams] case class KeptColumns(all: Seq[Attribute], kept: Seq[Attribute], timeField: Int)

private[streams] object StreamDistinctEvaluator {

  /** The number of rows that a log may have in addition to twice its needed rows before it is compacted. */
  val Slack = 32L

  private val Position = AttributeReference("position", LongType, nullable = false)()
  private val PositionField = 0
}
