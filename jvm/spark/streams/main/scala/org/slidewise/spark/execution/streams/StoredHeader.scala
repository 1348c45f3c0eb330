package org.slidewise.spark.execution.streams

import java.nio.{BufferUnderflowException, ByteBuffer}

import org.slidewise.core.durable.DurableQueue
import org.slidewise.spark.errors.CorruptState

/**
 * The header of a key, decoded from its bytes without the functions of the query; see [[KeyState]] for its parts.
 *
 * @param timer
 *   the time of the key's timer, or `Long.MaxValue`
 * @param oldest
 *   the time of the first row that is in order and has not been answered, or `Long.MaxValue`
 * @param logs
 *   the key's queues of rows
 * @param buffers
 *   the bytes of aggregation buffers that belong to a frame, with the ordinal of the frame
 */
final private[streams] class StoredHeader(
    val ordered: Long,
    val answered: Long,
    val timer: Long,
    val oldest: Long,
    val pending: StoredPending,
    val logs: Seq[StoredLog],
    val buffers: Seq[(Int, Array[Byte])]
) {

  /** The number of rows that have not been answered. */
  def waitingRows: Long = pending.count + ordered - answered
}

/** Rows that wait for the watermark: the blocks in the store, and the rows of the last block. */
final private[streams] class StoredPending(val blocks: Seq[StoredBlock], val rest: Array[Byte]) {
  def count: Long = blocks.map(_.count.toLong).sum + PendingBlock.countIn(rest)
}

final private[streams] class StoredBlock(val number: Long, val first: Long, val count: Int)

/**
 * A queue of the rows from position `first` to `end`, whose last block is in `rest`.
 *
 * @param section
 *   the section of the blocks in the store
 */
final private[streams] class StoredLog(
    val section: Int,
    val first: Long,
    val end: Long,
    val rest: Array[Byte]
) {
  private val begin = end - PendingBlock.countIn(rest)
  if (first < 0 || first > end || begin < 0)
    throw new CorruptState(s"a queue from position $first to $end has its last rows from position $begin")

  /** The number of the first block in the store, and the number after the last; equal if there is none. */
  def blocks: (Long, Long) = {
    val from = first / StateLog.RowsABlock
    (from, math.max(from, begin / StateLog.RowsABlock))
  }
}

private[streams] object StoredHeader {

  /** The position numbers of a frame that keeps aggregation buffers: its bounds, four ends, and the places of its queue. */
  private val NumbersOfBuffers = 8 * (2 + 4) + 4 * DurableQueue.Positions

  /**
   * Reads a header. Throws [[CorruptState]] if the header is cut off or too long.
   *
   * @param frames
   *   the frames in the order of their sections
   */
  def read(data: Array[Byte], frames: Seq[StoredFrame]): StoredHeader = {
    val in = ByteBuffer.wrap(data)
    try {
      val (ordered, answered) = (in.getLong(), in.getLong())
      in.getLong() // the time of the newest row
      val (timer, oldest) = (in.getLong(), in.getLong())
      if (answered < 0 || answered > ordered)
        throw new CorruptState(s"$answered of $ordered rows are answered")
      val pending = pendingIn(in)
      val rows = new StoredLog(StateCells.Rows, in.getLong(), ordered, StateWriter.readBytes(in))
      val waiting = new StoredLog(StateCells.Waiting, answered, ordered, StateWriter.readBytes(in))
      val parts = frames.zipWithIndex.map { case (frame, index) => partOf(in, frame, index) }
      if (in.hasRemaining) throw new CorruptState(s"a key's header has ${in.remaining} bytes too many")
      new StoredHeader(
        ordered,
        answered,
        timer,
        oldest,
        pending,
        rows +: waiting +: parts.collect { case Left(log) => log },
        parts.collect { case Right(Some(buffer)) => buffer }
      )
    } catch { case _: BufferUnderflowException => throw new CorruptState("a key's header is cut off") }
  }

  private def pendingIn(in: ByteBuffer): StoredPending = {
    val next = in.getLong()
    val count = in.getInt()
    if (count < 0 || count > in.remaining / 20) throw new CorruptState(s"$count pending blocks")
    val blocks = Seq.fill(count)(new StoredBlock(in.getLong(), in.getLong(), in.getInt()))
    blocks.foreach { block =>
      if (block.number < 0 || block.number >= next || block.count < 1)
        throw new CorruptState(s"pending block ${block.number} of $next")
    }
    new StoredPending(blocks, StateWriter.readBytes(in))
  }

  private def partOf(
      in: ByteBuffer,
      frame: StoredFrame,
      index: Int
  ): Either[StoredLog, Option[(Int, Array[Byte])]] = frame.state match {
    case StoredFrame.Buffers =>
      skip(in, NumbersOfBuffers)
      Right(Some(index -> StateWriter.readBytes(in)))
    case StoredFrame.LastOccurrences =>
      skip(in, 8 * 3)
      Left(
        new StoredLog(StateCells.FirstFrame + index, in.getLong(), in.getLong(), StateWriter.readBytes(in))
      )
    case StoredFrame.Summaries =>
      skip(in, 8 * 2)
      frame.functions.foreach(_ => StateWriter.readBytes(in))
      Right(None)
    case StoredFrame.Rows =>
      skip(in, 8 * 2)
      Right(None)
    case other => throw new CorruptState(s"the frame $frame keeps $other")
  }

  private def skip(in: ByteBuffer, bytes: Int): Unit = {
    if (in.remaining < bytes) throw new BufferUnderflowException
    in.position(in.position() + bytes)
  }
}
