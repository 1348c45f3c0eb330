package org.slidewise.spark.execution.rows

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a log from position `from` to before `until`. The iterator reuses the row object.
 *
 * @param releases
 *   whether rows are released after they have been read
 * @param releaseEvery
 *   the number of rows between two releases of rows that have been read
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
