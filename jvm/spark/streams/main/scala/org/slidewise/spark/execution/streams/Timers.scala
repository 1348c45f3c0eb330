package org.slidewise.spark.execution.streams

import java.util.HashSet

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.task.TaskResources

/** The timer of the selected key. */
private[streams] trait KeyTimer {

  /** Sets the timer of the selected key, which has none. */
  def set(time: Long): Unit

  /** Removes the timer that has been set to this time. */
  def remove(time: Long): Unit
}

/**
 * Finds the keys of a state partition whose timers are due, in slices. A scan returns as many keys as memory allows. After these
 * have been processed, the next scan returns further keys. A processed key has a later timer or none. A limited number of keys
 * follow that a shorter timeout has made due before their timers.
 *
 * Cost: a scan reads the timers that are due, and the other timers of the same bucket.
 *
 * Memory: a slice has as much on-heap memory as the task's memory manager grants, at most [[Timers.SliceBytes]]. It has room for
 * [[Timers.FewKeys]] keys, whatever the manager grants. The keys with rows in each batch, whose timers need no rewrite, have up
 * to [[Timers.UnchangedBytes]]; without a grant, timers are rewritten.
 *
 * @param watermark
 *   the watermark in microseconds; a timer up to the watermark is due
 * @param isLate
 *   whether a key is due earlier than its header records, given both numbers of the header
 */
final private[streams] class Timers(
    cells: StateCells,
    partition: PartitionState,
    resources: TaskResources,
    cancellation: CancellationCheck,
    watermark: Long,
    isLate: (Long, Long) => Boolean
) extends KeyTimer {
  import Timers._

  private[this] val index = new TimerIndex(cells)
  private[this] val lastBucket = TimerIndex.bucketOf(watermark)

  private[this] var slice = new PendingBlock(0)
  private[this] var next = 0
  private[this] var fromBucket = TimerIndex.First
  private[this] var scannedAll, sweeps = false
  private[this] var timersRead = 0L
  private[this] val found = new UnsafeRow(cells.keyFields)

  private[this] val unchanged = new HashSet[UnsafeRow]
  private[this] var unchangedBytes = 0L

  final private class Memory extends MemoryConsumer(resources.memory, 0L, MemoryMode.ON_HEAP) {

    /** Acquires memory up to `bytes` in all, and returns whether they are granted. */
    def upTo(bytes: Long, step: Long): Boolean = {
      if (bytes > getUsed) acquireMemory(math.max(bytes - getUsed, step))
      bytes <= getUsed
    }

    def freeAll(): Unit = if (getUsed > 0) freeMemory(getUsed)

    // A slice is in use until it has been processed.
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
  }

  private[this] val sliceMemory, unchangedMemory = new Memory

  /** The number of timers that have been read. */
  def read: Long = timersRead

  override def set(time: Long): Unit = {
    val bucket = TimerIndex.bucketOf(time)
    cells.putTimer(bucket, time)
    index.add(bucket)
  }

  override def remove(time: Long): Unit = cells.removeTimer(TimerIndex.bucketOf(time))

  /**
   * Remembers that the selected key, which gets the timer [[Timers.Always]], has been processed in this batch. Returns false if
   * there is no memory to remember the key.
   */
  def keep(): Boolean = {
    val key = cells.timerKey(TimerIndex.bucketOf(Always)).copy() // asking for memory may write other cells
    val bytes = unchangedBytes + key.getSizeInBytes + EntryOverhead
    val granted = bytes <= UnchangedBytes && unchangedMemory.upTo(bytes, Step)
    if (granted) {
      unchanged.add(key)
      unchangedBytes = bytes
    }
    granted
  }

  /** The next key that is due, or null. The previous key must have been processed. */
  def nextKey(): UnsafeRow = {
    if (next == slice.count && !scannedAll) scan()
    if (next == slice.count && !sweeps) sweep()
    if (next == slice.count) null
    else {
      next += 1
      slice.pointTo(found, next - 1).copy() // which its cells are addressed by
    }
  }

  private def startSlice(): Unit = {
    slice = new PendingBlock(0) // frees the processed one
    next = 0
  }

  private def scan(): Unit = {
    val firstProcessed = if (slice.count > 0) slice.pointTo(found, 0).copy() else null
    startSlice()
    var bucket = index.next(fromBucket, lastBucket)
    while (bucket != TimerIndex.None && collect(bucket, firstProcessed)) {
      fromBucket = bucket + 1
      bucket = index.next(fromBucket, lastBucket)
    }
    scannedAll = bucket == TimerIndex.None
  }

  /** Adds the keys of a bucket to the slice. False if there is no room for more keys. */
  private def collect(bucket: Long, firstProcessed: UnsafeRow): Boolean = {
    val timers = cells.scan(StateCells.Timers, bucket)
    var isEmpty, hasRoom = true
    try
      while (hasRoom && timers.hasNext) {
        cancellation.step()
        isEmpty = false
        timersRead += 1
        val timer = timers.next()
        if (timer.value.getLong(StateCells.LowField) <= watermark && !unchanged.contains(timer.key)) {
          if (slice.count == 0 && timer.key == firstProcessed)
            throw new IllegalStateException("a key has been processed and its timer has not changed")
          slice.append(timer.key)
          hasRoom = hasRoomFor(slice)
        }
      }
    finally timers.close()
    if (isEmpty) index.remove(bucket)
    hasRoom
  }

  /** Finds keys that are due earlier than their headers record, in the headers of the next groups. */
  private def sweep(): Unit = {
    sweeps = true
    startSlice()
    var seen = 0L
    var hasRoom = true
    while (hasRoom && seen < SweptKeys && !partition.hasSwept) {
      val headers = cells.scan(StateCells.Header, partition.nextGroup.toLong)
      try
        while (hasRoom && headers.hasNext) {
          cancellation.step()
          seen += 1
          val header = headers.next()
          if (isLate(header.value.getLong(StateCells.LowField), header.value.getLong(StateCells.HighField))) {
            slice.append(header.key)
            hasRoom = hasRoomFor(slice)
          }
        }
      finally headers.close()
      if (hasRoom) partition.nextGroup += 1
    }
  }

  /** Whether another key may be added. The arrays of a block grow by doubling. */
  private def hasRoomFor(slice: PendingBlock): Boolean = {
    val bytes = 2L * (slice.size + 4L * slice.count)
    bytes < SliceBytes && sliceMemory.upTo(bytes, Step) || slice.count < FewKeys
  }

  /** Writes the index. */
  def save(): Unit = index.flush()

  /** Releases all memory. */
  def close(): Unit = {
    sliceMemory.freeAll()
    unchangedMemory.freeAll()
  }
}

private[streams] object Timers {

  /** The time of a timer that is due in each batch. */
  val Always: Long = Long.MinValue

  val SliceBytes: Long = 64L << 20
  val UnchangedBytes: Long = 16L << 20
  val FewKeys = 1000

  /** The number of headers after which a sweep continues in the next batch. */
  val SweptKeys = 1000L

  private val Step = 256L << 10
  private val EntryOverhead = 128L
}
