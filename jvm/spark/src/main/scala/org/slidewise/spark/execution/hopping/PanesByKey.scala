package org.slidewise.spark.execution.hopping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog}

/**
 * Reads the panes of a task, one key after the other.
 *
 * @param partials
 *   one row for each key and pane; the panes of a key are adjacent and in the order of time
 * @param pane
 *   projects an input row to the start of its pane and its aggregation buffers, the columns of `log`
 * @param startField
 *   the ordinal of the start of the pane in an input row
 * @param touchedField
 *   the ordinal of a boolean in an input row. If present, the output has only windows with a pane for which the boolean is true
 */
final private[hopping] class PanesByKey(
    partials: Iterator[InternalRow],
    keys: PartitionKeys,
    pane: UnsafeProjection,
    startField: Int,
    touchedField: Option[Int],
    log: RowLog
) extends PaneSource {
  private[this] val reader = log.reader()
  private[this] val touches = touchedField.getOrElse(-1)
  private[this] var fetched, fetchedKey: UnsafeRow = _ // the next input row, not yet in the log
  private[this] var ofKey, all = 0L
  private[this] var lastTouched = -1L
  private[this] var started = false

  private def fetch(): Unit =
    if (partials.hasNext) {
      fetched = partials.next().asInstanceOf[UnsafeRow]
      fetchedKey = keys.key(fetched)
    } else {
      fetched = null
      fetchedKey = null
    }

  /** Whether any key has a pane that has not been taken. */
  def hasMore: Boolean = {
    if (!started) {
      started = true
      fetch()
    }
    fetched != null
  }

  /** Moves to the key of the next pane. */
  def startKey(): Unit = {
    keys.current.copyFrom(fetchedKey)
    log.clear()
    ofKey = 0L
    lastTouched = -1L
  }

  /** The current key. */
  def key: UnsafeRow = keys.current

  override def startAt(position: Long): Long = reader(position).getLong(0)
  override def hasNext: Boolean = fetched != null && keys.same(fetchedKey, keys.current)
  override def nextStart: Long = fetched.getLong(startField)

  override def take(): Unit = {
    if (touches >= 0 && fetched.getBoolean(touches)) lastTouched = ofKey
    log.append(pane(fetched))
    ofKey += 1
    all += 1
    fetch()
  }

  /** Whether the output has the window whose first pane is at position `first`. All panes of the window have been taken. */
  def isAskedFor(first: Long): Boolean = touches < 0 || lastTouched >= first

  /** The number of panes taken, of all keys. */
  def taken: Long = all
}
