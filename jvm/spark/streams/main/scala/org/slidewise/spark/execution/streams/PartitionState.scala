package org.slidewise.spark.execution.streams

import java.nio.{BufferUnderflowException, ByteBuffer}

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.plan.TimeReach

/**
 * The state that is common to all keys of a state partition: the number of keys, the number of rows that wait, and the progress of
 * the sweep over all keys that follows a change of the timeout. Stored in one cell.
 *
 * @param timeout
 *   the time in microseconds after which keys are removed whose frames have no limit in time; none for never
 */
final private[streams] class PartitionState(cells: PartitionCells, timeout: Option[Long]) {
  import PartitionState._

  /** The number of keys with a state. */
  var keys = 0L

  /** The number of rows that have not been answered. */
  var waitingRows = 0L

  /** The bytes of all cells except the cells of the partition itself. */
  var bytes = 0L

  /** The times of each key's oldest row in order that has not been answered. */
  val oldestWaiting = new OldestTimes

  /** The next group of headers to sweep. */
  var nextGroup: Int = StateCells.Groups

  /** The timeout that the sweep is for. */
  var sweptFor: Long = timeout.getOrElse(Never)

  private[this] val stored = cells.dataOf(StateCells.Partition, 0L, 0L)
  if (stored != null) read(ByteBuffer.wrap(stored))

  def hasSwept: Boolean = nextGroup == StateCells.Groups

  private def read(in: ByteBuffer): Unit = {
    try {
      keys = in.getLong()
      waitingRows = in.getLong()
      bytes = in.getLong()
      val kept = in.getLong()
      nextGroup = if (kept == sweptFor) in.getInt() else { in.getInt(); 0 }
      oldestWaiting.reopen(in)
    } catch { case _: BufferUnderflowException => throw new CorruptState("the partition's cell is cut off") }
    if (in.hasRemaining || keys < 0 || waitingRows < 0 || nextGroup < 0 || nextGroup > StateCells.Groups)
      throw new CorruptState(s"a partition of $keys keys and $waitingRows rows, swept up to $nextGroup")
  }

  /** The time in microseconds by which the watermark is past the oldest row that waits; 0 if it has not passed that row. */
  def behind(watermark: Long): Long =
    if (watermark <= oldestWaiting.oldest) 0L
    else math.max(0L, TimeReach.plus(watermark, -oldestWaiting.oldest))

  /** Writes the cell if it has changed. */
  def save(): Unit = {
    val out = new StateWriter
    out.long(keys)
    out.long(waitingRows)
    out.long(bytes)
    out.long(sweptFor)
    out.int(nextGroup)
    oldestWaiting.writeTo(out)
    val data = out.result()
    if (!java.util.Arrays.equals(data, stored)) cells.putData(StateCells.Partition, 0L, 0L, data)
  }
}

private[streams] object PartitionState {
  val Never: Long = -1L

  /** The state as it is stored, with the timeout and the progress of its sweep. */
  def stored(cells: PartitionCells): PartitionState = {
    val data = cells.dataOf(StateCells.Partition, 0L, 0L)
    val timeout = if (data == null || data.length < 32) Never else ByteBuffer.wrap(data).getLong(24)
    new PartitionState(cells, if (timeout == Never) None else Some(timeout))
  }
}
