package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

import org.slidewise.core.Aggregator
import org.slidewise.core.durable.{DurableQueue, SegmentedFrames}
import org.slidewise.core.frames.Recalculation
import org.slidewise.core.state.CellStore
import org.slidewise.spark.execution._
import org.slidewise.spark.planning.Algorithm
import org.slidewise.spark.planning.streams.StreamFramePlan

/**
 * Answers the functions of one frame for one row of a key after the other, and is kept from batch to batch.
 *
 * @param index
 *   the frame's place among the operator's frames, which says where its states are kept
 * @param firstGuard
 *   the place in `results` of the first of its guards
 */
final private[streams] class StreamFrameEvaluator(
    plan: StreamFramePlan,
    index: Int,
    override val bounds: StreamBounds,
    input: Seq[Attribute],
    log: StateLog,
    cells: KeyCells,
    resources: TaskResources,
    maxStateBytes: Long,
    results: InternalRow,
    firstGuard: Int
) extends StreamFrameAnswers {
  private[this] val functions = plan.aggregates.map(a => (a.function, a.filter))
  private[this] val ordinals = plan.aggregates.map(_.result)
  private[this] val guards = plan.aggregates.flatMap(a => a.guard.map(guard => (guard, a.filter)))
  private[this] val guardOrdinals = guards.indices.map(firstGuard + _).toArray
  private[this] val recalculates = plan.algorithm == Algorithm.Recalculation && plan.frame.lower.isDefined

  private[this] val all =
    new FrameFunctions(functions ++ guards, ordinals ++ guardOrdinals, input, keepsStates = true)
  private[this] val codec = new StateCodec((functions ++ guards).map(_._1), all.fixedWidth)
  private[this] val states = RowStates(all, log.reader(), resources, maxStateBytes)
  private[this] var queueCombines = 0L

  private object operator extends Aggregator[InternalRow, InternalRow, InternalRow] {
    override lazy val identity: InternalRow = all.newState()
    override def lift(in: InternalRow): InternalRow = in
    override def combine(older: InternalRow, newer: InternalRow): InternalRow = {
      queueCombines += 1
      all.combine(older, newer)
    }
    override def lower(agg: InternalRow): InternalRow = agg
  }

  private object middle extends CellStore[InternalRow] {
    private[this] val section = StateCells.FirstMiddle + index
    def load(cell: Int): InternalRow = codec.fromBytes(cells.data(section, cell.toLong))
    def save(cell: Int, state: InternalRow): Unit =
      cells.put(section, cell.toLong, 0L, 0L, codec.toBytes(state))
    def remove(cell: Int): Unit = cells.remove(section, cell.toLong)
  }

  private[this] val frames =
    if (recalculates) null
    else
      new SegmentedFrames(
        states,
        new DurableQueue(operator, middle),
        if (plan.frame.lower.isEmpty) Long.MaxValue else StateLog.RowsABlock
      )

  // As Spark does it, for frames in which a sum may have overflown, and for functions whose states are the rows.
  private[this] lazy val asSpark = {
    val own = new FrameFunctions(functions, ordinals, input, keepsStates = false)
    RowStates(own, log.reader(), resources, maxStateBytes)
  }
  private[this] lazy val recalculation = new Recalculation(asSpark)
  private[this] var askedSpark = false

  // The bounds may be ahead of the last answer, when the frame of another evaluator is not complete.
  override def needs: Long = if (plan.frame.lower.isEmpty) frames.newest else bounds.lo

  override def evaluate(): Unit =
    if (recalculates) evaluateAsSpark()
    else
      try {
        states.lower(frames.slide(bounds.lo, bounds.hi), results)
        if (exceeded) evaluateAsSpark()
      } catch {
        case _: ArithmeticException if guardOrdinals.nonEmpty =>
          frames.drop() // made again from the rows of the next frame
          frames.reset()
          evaluateAsSpark()
      }

  private def exceeded: Boolean = {
    var i = 0
    while (i < guardOrdinals.length && !results.getBoolean(guardOrdinals(i))) i += 1
    i < guardOrdinals.length
  }

  private def evaluateAsSpark(): Unit = {
    askedSpark = true
    asSpark.lower(recalculation.slide(bounds.lo, bounds.hi), results)
  }

  override def combines: Long = states.combines + queueCombines + (if (askedSpark) asSpark.combines else 0L)

  override def reset(): Unit = {
    bounds.moveTo(0L, 0L)
    if (frames != null) frames.reset()
    if (askedSpark) recalculation.reset()
  }

  override def drop(): Unit = if (frames != null) frames.drop()

  override def writeTo(out: StateWriter): Unit = {
    out.long(bounds.lo)
    out.long(bounds.hi)
    if (frames != null) {
      val kept = frames.close()
      Seq(kept.lo, kept.frontEnd, kept.backStart, kept.hi).foreach(out.long)
      kept.middle.foreach(out.int)
      out.bytes(codec.toBytes(kept.back))
    }
  }

  override def reopen(in: ByteBuffer): Unit = {
    bounds.moveTo(in.getLong(), in.getLong())
    if (frames != null) {
      val ends = Array.fill(4)(in.getLong())
      val queue = Array.fill(DurableQueue.Positions)(in.getInt())
      val back = codec.fromBytes(StateWriter.readBytes(in))
      frames.open(SegmentedFrames.Kept(ends(0), ends(1), ends(2), ends(3), queue, back))
    }
    if (askedSpark) recalculation.reset()
  }

  override def close(): Unit = {
    states.close()
    if (askedSpark) asSpark.close()
  }
}
