package org.slidewise.spark.execution.streams

import java.util.BitSet

import scala.collection.mutable

import org.slidewise.spark.errors.CorruptState

/**
 * The buckets of timers that are not empty, as a tree of bit sets in the state store. A bucket covers about a second. A bucket in
 * the index may have become empty.
 *
 * Cost: at most [[TimerIndex.Levels]] reads for a bucket that is new, and as many writes when the changes are flushed; buckets
 * less than an hour apart mostly share them. Memory: at most [[TimerIndex.MostNodes]] nodes of up to 512 bytes.
 */
final private[streams] class TimerIndex(cells: PartitionCells) {
  import TimerIndex._

  final private class Node(val bits: BitSet) {
    var isChanged = false
  }

  private[this] val nodes = mutable.LongMap.empty[Node]

  private def node(level: Int, at: Long): Node = {
    val known = nodes.getOrNull(at * Levels + level)
    if (known != null) known
    else {
      if (nodes.size >= MostNodes) flush()
      val read = new Node(load(level, at))
      nodes(at * Levels + level) = read
      read
    }
  }

  private def load(level: Int, at: Long): BitSet = {
    val stored = cells.dataOf(StateCells.Index, at, level.toLong)
    if (stored == null) new BitSet
    else if (stored.length == 0 || stored.length > Fan / 8)
      throw new CorruptState(s"a node of the index of timers has ${stored.length} bytes")
    else BitSet.valueOf(stored)
  }

  /** Records that `bucket` is not empty. */
  def add(bucket: Long): Unit = set(bucket, isFilled = true)

  /** Records that `bucket` is empty. */
  def remove(bucket: Long): Unit = set(bucket, isFilled = false)

  /** Sets the bit of a bucket in its node, and in the nodes above as long as nodes become filled or empty. */
  private def set(bucket: Long, isFilled: Boolean): Unit = {
    var at = bucket + Bias
    var level = 0
    var goesUp = true
    while (goesUp && level < Levels) {
      val up = node(level, at >>> FanBits)
      val bit = (at & (Fan - 1)).toInt
      val wasEmpty = up.bits.isEmpty
      if (up.bits.get(bit) != isFilled) {
        up.bits.set(bit, isFilled)
        up.isChanged = true
      }
      goesUp = if (isFilled) wasEmpty else up.bits.isEmpty
      at >>>= FanBits
      level += 1
    }
  }

  /** The first bucket from `from` to `until` that may have timers, or [[TimerIndex.None]]. */
  def next(from: Long, until: Long): Long = {
    val found = if (from > until) None else find(Levels - 1, 0L, from + Bias, until + Bias)
    if (found == None) None else found - Bias
  }

  /** The first bucket in the node `at` of a level, counted from the least of all buckets. */
  private def find(level: Int, at: Long, from: Long, until: Long): Long = {
    val bits = node(level, at).bits
    val shift = FanBits * level
    val first = at << FanBits
    var found = None
    var bit = bits.nextSetBit(math.max(0L, math.min((from >>> shift) - first, Fan.toLong)).toInt)
    while (found == None && bit >= 0 && first + bit <= (until >>> shift)) {
      found = if (level == 0) first + bit else find(level - 1, first + bit, from, until)
      bit = bits.nextSetBit(bit + 1)
    }
    found
  }

  /** Writes the changes. */
  def flush(): Unit = {
    nodes.foreach { case (place, node) =>
      if (node.isChanged) {
        val (level, at) = (place % Levels, place / Levels)
        if (node.bits.isEmpty) cells.removeData(StateCells.Index, at, level)
        else cells.putData(StateCells.Index, at, level, node.bits.toByteArray)
      }
    }
    nodes.clear()
  }
}

private[streams] object TimerIndex {
  private val FanBits = 12
  private val Fan = 1 << FanBits
  private val MostNodes = 1024

  // A bucket has 2^20 microseconds, so that there are 2^44.
  private val BucketBits = 20
  private val Bias = 1L << 43

  val Levels = 4

  /** The least of all buckets. */
  val First: Long = -Bias

  /** No bucket. */
  val None: Long = Long.MinValue

  def bucketOf(micros: Long): Long = micros >> BucketBits
}
