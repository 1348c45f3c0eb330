package org.slidewise.spark.execution.rows

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a log from one position to another; the same object each time.
 *
 * @param releases
 *   whether rows are released after they have been read
 * @param releaseEvery
 *   the number of rows after which those that have been read are released
 */
final private[execution] class LogRows(
    log: RowLog,
    from: Long,
    until: Long,
    releases: Boolean,
    releaseEvery: Long = LogRows.ReleaseEvery
) extends AbstractIterator[UnsafeRow] {
  private[this] val reader = log.reader()
  private[this] var position = from

  override def hasNext: Boolean = position < until

  override def next(): UnsafeRow = {
    if (releases && position % releaseEvery == 0) log.release(position)
    val row = reader(position)
    position += 1
    row
  }
}

private object LogRows {
  private val ReleaseEvery = 4096L
}
