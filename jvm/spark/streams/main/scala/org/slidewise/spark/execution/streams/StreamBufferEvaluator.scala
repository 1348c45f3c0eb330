package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.core.Aggregator
import org.slidewise.core.durable.{DurableQueue, SegmentedFrames}
import org.slidewise.core.state.CellStore
import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.frames.{FrameFinder, FrameGuards, FrameRecalculation, MergedEvaluation}
import org.slidewise.spark.execution.states.{FrameElements, FrameFunctions, RowStates, StateCodec}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{EvaluationMethod, FramePlan}

/**
 * Evaluates the functions of one frame from merged aggregation buffers, for one row of a key after the other; its state is kept from
 * batch to batch.
 *
 * @param elements
 *   the rows of the frames
 * @param own
 *   the cells of the states
 * @param firstGuard
 *   the ordinal in `results` of the first guard of this frame
 */
final private[streams] class StreamBufferEvaluator(
    plan: FramePlan,
    override val bounds: FrameFinder,
    elements: FrameElements,
    own: FrameCells,
    resources: TaskResources,
    maxStateBytes: Long,
    results: InternalRow,
    firstGuard: Int
) extends StreamFrameEvaluator {
  private[this] val isGrowing = plan.method == EvaluationMethod.Running
  private[this] val guards = new FrameGuards(plan.aggregates, firstGuard, results)
  private[this] val calls = plan.aggregates.map(_.call) ++ guards.calls

  private[this] val all =
    new FrameFunctions(
      calls,
      plan.aggregates.map(_.answer) ++ guards.ordinals,
      elements.attributes,
      keepsStates = true,
      mergeMayFail = plan.aggregates.exists(_.description.isForeign)
    )
  private[this] val codec = new StateCodec(calls.map(_.description))
  private[this] val states = RowStates(all, elements.newReader(), resources, maxStateBytes)
  private[this] var queueCombines = 0L

  if (!isGrowing) all.prepareToMerge()

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
    import own.{cells, section}
    def load(cell: Int): InternalRow = codec.fromBytes(cells.data(section, cell.toLong))
    def save(cell: Int, state: InternalRow): Unit =
      cells.put(section, cell.toLong, 0L, 0L, codec.toBytes(state))
    def remove(cell: Int): Unit = cells.remove(section, cell.toLong)
  }

  private[this] val frames = new SegmentedFrames(
    states,
    new DurableQueue(operator, middle),
    if (isGrowing) Long.MaxValue else StateLog.RowsABlock
  )

  private[this] val recalculation =
    new FrameRecalculation(plan.aggregates, elements, resources, maxStateBytes, results)

  private[this] val evaluation = new MergedEvaluation(plan.aggregates, guards, recalculation) {
    override protected def merge(lo: Long, hi: Long): Unit = states.lower(frames.slide(lo, hi), results)
    override protected def drop(): Unit = { // made again from the rows of the next frame
      frames.drop()
      frames.reset()
    }
    // The rows of growing frames are not kept.
    override protected def canRecalculate: Boolean = !isGrowing
  }

  // The bounds may be ahead of the last answered row, if the frame of another evaluator is not complete.
  override def oldestNeeded: Long = if (isGrowing) frames.newest else bounds.lo

  override def evaluate(): Unit = evaluation.evaluate(bounds.lo, bounds.hi)

  override def combines: Long = states.combines + queueCombines + recalculation.combines

  override def reset(): Unit = {
    bounds.reset()
    frames.reset()
    recalculation.reset()
  }

  override def drop(): Unit = frames.drop()

  override def writeTo(out: StateWriter): Unit = {
    StreamFrameEvaluator.writeBounds(bounds, out)
    val kept = frames.close()
    Seq(kept.lo, kept.frontEnd, kept.backStart, kept.hi).foreach(out.long)
    kept.middle.foreach(out.int)
    out.bytes(codec.toBytes(kept.back))
  }

  override def reopen(in: ByteBuffer): Unit = {
    StreamFrameEvaluator.readBounds(bounds, in)
    val ends = Array.fill(4)(in.getLong())
    val queue = Array.fill(DurableQueue.Positions)(in.getInt())
    val back = codec.fromBytes(StateWriter.readBytes(in))
    try frames.open(SegmentedFrames.Kept(ends(0), ends(1), ends(2), ends(3), queue, back))
    catch { case e: IllegalArgumentException => throw new CorruptState(e.getMessage) }
    recalculation.reset()
  }

  override def close(): Unit = {
    states.close()
    recalculation.close()
  }
}
