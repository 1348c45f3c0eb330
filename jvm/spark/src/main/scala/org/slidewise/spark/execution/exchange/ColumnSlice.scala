package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.execution.blocks.StagedRows

/**
 * A slice of rows that are staged together, column by column.
 *
 * Memory: for `most` rows, one word each, and a reference for each value of a sized column.
 *
 * @param most
 *   the maximum number of rows
 */
final private[exchange] class ColumnSlice(
    rows: ColumnRows,
    stages: BlockStages,
    write: BlockWrite,
    most: Int
) {
  import ColumnSlice.FirstRows
  import write.layout

  private[this] val numbers = new Array[Int](most)
  private[this] val words = new Array[Long](most)
  private[this] val values = Array.fill(layout.sized.length)(new Array[UTF8String](most))
  private[this] val targets = new Array[StagedRows](most)
  private[this] val places = new Array[Int](most)

  // The rows and bytes of each partition of the slice whose room has not been checked yet.
  private[this] val counts = new Array[Int](write.partitions)
  private[this] val bytes = new Array[Long](write.partitions)

  private[this] var from, asked = 0
  private[this] var sizedBytes = 0L

  /** The number of rows. */
  var count = 0

  /** The size of the rows as `UnsafeRow`s, in bytes. */
  var rowBytes = 0L

  // The number of rows of the next slice, estimated from the last slice. The rows should fit into one empty stage, whatever their
  // partitions are.
  private[this] var next = math.min(FirstRows, most)

  /** Reads rows, at most `most` from `start` on. */
  def take(start: Int): Unit = {
    from = start
    asked = 0
    count = math.min(next, rows.count - start)
    rowBytes = count.toLong * layout.fixedBytes
    rows.partitions(from, from + count, numbers)
    var i = 0
    while (i < count) {
      counts(numbers(i)) += 1
      i += 1
    }
    sizedBytes = 0L
    layout.sized.indices.foreach(takeValues)
    next = math
      .max(1L, math.min(most.toLong, stages.most * count.toLong / math.max(1L, sizedBytes + sizedBytes / 4)))
      .toInt
  }

  private def takeValues(ofSized: Int): Unit = {
    val column = layout.sized(ofSized)
    val found = values(ofSized)
    rows.values(ofSized, from, count, found)
    var i = 0
    while (i < count) {
      val size = if (found(i) == null) 0 else found(i).numBytes
      bytes(numbers(i)) += size
      sizedBytes += size
      rowBytes += layout.bytesInRow(column, size)
      i += 1
    }
  }

  /** The first partition without room for its rows; -1 if all partitions have room. */
  def withoutRoom(): Int = {
    while (asked < count && hasRoom(numbers(asked))) asked += 1
    if (asked < count) numbers(asked) else -1
  }

  private def hasRoom(partition: Int): Boolean = counts(partition) == 0 ||
    stages.hasRoom(partition, counts(partition), bytes(partition)) && {
      forget(partition)
      true
    }

  /** Makes room for a partition that [[withoutRoom]] has found: see [[BlockStages.makeRoom]]. */
  def makeRoom(partition: Int): Product2[Int, InternalRow] =
    stages.makeRoom(counts(partition), bytes(partition))

  private def forget(partition: Int): Unit = {
    counts(partition) = 0
    bytes(partition) = 0L
  }

  /** Stages the rows, for which there is room. */
  def stage(): Unit = {
    place()
    (0 until layout.columns).foreach(column => if (rows.anyNull(column)) addNulls(column))
    layout.fixed.indices.foreach { i =>
      rows.words(i, from, count, words)
      addWords(layout.fixed(i))
    }
    layout.sized.indices.foreach(i => addValues(layout.sized(i), values(i)))
    count = 0
  }

  /** Gives each row its place, and clears its null bits. */
  private def place(): Unit = {
    var i = 0
    while (i < count) {
      val stage = stages.open(numbers(i))
      targets(i) = stage
      places(i) = stage.count
      var lane = 0
      while (lane < layout.nullLanes) {
        stage.words(lane * stage.capacity + stage.count) = 0L
        lane += 1
      }
      stage.count += 1
      i += 1
    }
  }

  private def addNulls(column: Int): Unit = {
    val lane = column >> 6
    var i = 0
    while (i < count) {
      if (rows.isNull(column, from + i)) {
        val stage = targets(i)
        stage.words(lane * stage.capacity + places(i)) |= 1L << column
      }
      i += 1
    }
  }

  private def addWords(column: Int): Unit = {
    val lane = layout.nullLanes + column
    var i = 0
    while (i < count) {
      val stage = targets(i)
      stage.words(lane * stage.capacity + places(i)) = words(i)
      i += 1
    }
  }

  private def addValues(column: Int, found: Array[UTF8String]): Unit = {
    val lane = layout.nullLanes + column
    var i = 0
    while (i < count) {
      val stage = targets(i)
      val value = found(i)
      stage.words(lane * stage.capacity + places(i)) =
        if (value == null) 0L else stage.put(value.getBaseObject, value.getBaseOffset, value.numBytes)
      i += 1
    }
  }

  /** Returns a source that stages the rows one by one, and empties the slice. */
  def oneByOne(): RowSource = {
    val first = from
    var number = -1
    val each = Iterator.range(0, count).map { i =>
      number = i
      rows.row(first + i): InternalRow
    }
    (0 until count).foreach { i =>
      forget(numbers(i))
      stages.giveUp(numbers(i))
    }
    count = 0
    new RowSource(each, _ => numbers(number), stages, write)
  }
}

private object ColumnSlice {
  private val FirstRows = 256
}
