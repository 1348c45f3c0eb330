package org.slidewise.spark.execution.exchange

import java.util.function.ToIntFunction

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** A source of rows that are staged by partition. */
sealed abstract private[exchange] class BlockSource {

  def hasNext: Boolean

  /** Stages rows until a block must be written. Returns this block, or null if all rows are staged. */
  def stage(): Product2[Int, InternalRow]
}

/**
 * Rows that are read one by one.
 *
 * @param partitionOf
 *   the number of a row's partition; called once for each row, in order
 */
final private[exchange] class RowSource(
    rows: Iterator[InternalRow],
    partitionOf: ToIntFunction[InternalRow],
    stages: BlockStages,
    write: BlockWrite
) extends BlockSource {
  private[this] var waiting: UnsafeRow = _ // has been read, but not staged
  private[this] var partition = 0 // of the row that was read last

  override def hasNext: Boolean = waiting != null || rows.hasNext

  override def stage(): Product2[Int, InternalRow] = {
    var block: Product2[Int, InternalRow] = null
    while (block == null && (waiting != null || take())) {
      val bytes = waiting.getSizeInBytes - write.layout.fixedBytes
      if (stages.hasRoom(partition, 1, bytes.toLong)) {
        stages.open(partition).add(waiting)
        waiting = null
      } else if (stages(partition).count > 0) block = stages.handOut(partition)
      else {
        block = stages.makeRoom(1, bytes.toLong)
        if (block == null) {
          block = stages.alone(partition, waiting, bytes)
          waiting = null
        }
      }
    }
    block
  }

  private def take(): Boolean = rows.hasNext && {
    waiting = rows.next().asInstanceOf[UnsafeRow]
    partition = partitionOf.applyAsInt(waiting)
    write.count(1L, waiting.getSizeInBytes.toLong)
    true
  }
}

/** Rows that are read column by column. If there is no memory for a slice of rows, its rows are staged one by one. */
final private[exchange] class ColumnSource(rows: ColumnRows, stages: BlockStages, write: BlockWrite)
    extends BlockSource {
  private[this] val slice =
    new ColumnSlice(rows, stages, write, math.min(ColumnSource.MostRows, stages.mostRows))
  private[this] var taken = 0 // of the current rows
  private[this] var oneByOne: RowSource = _

  override def hasNext: Boolean = oneByOne != null && oneByOne.hasNext || slice.count > 0 || hasRows

  override def stage(): Product2[Int, InternalRow] = {
    var block: Product2[Int, InternalRow] = null
    while (block == null && hasNext)
      if (oneByOne != null && oneByOne.hasNext) block = oneByOne.stage()
      else {
        if (slice.count == 0) take()
        val full = slice.withoutRoom()
        if (full < 0) {
          write.count(slice.count.toLong, slice.rowBytes)
          slice.stage()
        } else if (stages(full).count > 0) block = stages.handOut(full)
        else {
          block = slice.makeRoom(full)
          if (block == null) oneByOne = slice.oneByOne()
        }
      }
    block
  }

  private def hasRows: Boolean = {
    var more = true
    while (more && taken == rows.count) {
      more = rows.advance()
      if (more) taken = 0
    }
    more
  }

  private def take(): Unit = {
    slice.take(taken)
    taken += slice.count
  }
}

private object ColumnSource {
  private val MostRows = 4096
}
