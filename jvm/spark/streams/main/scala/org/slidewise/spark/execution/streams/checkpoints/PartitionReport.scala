package org.slidewise.spark.execution.streams.checkpoints

import scala.collection.mutable.ArrayBuffer

/** The figures and problems of a partition of state, or of several. Not thread-safe. */
final private[checkpoints] class PartitionReport extends Serializable {
  import PartitionReport._

  /** The number of entries, and the number of their bytes before compression. */
  var entries, bytes = 0L

  /** The number of entries that belong to a key. */
  var entriesOfKeys = 0L

  /** The number of keys, and of rows that have not been emitted. */
  var keys, waitingRows = 0L

  /** The time of the oldest row that waits, or of the oldest pane, in microseconds; `Long.MaxValue` if there is none. */
  var oldest: Long = Long.MaxValue

  private[this] val found = new ArrayBuffer[String]
  private[this] var count = 0L

  /** The first problems. */
  def problems: Seq[String] = found.toSeq

  /** The number of problems that [[problems]] does not contain. */
  def further: Long = count - found.size

  def isSound: Boolean = count == 0

  def problem(text: String): Unit = {
    count += 1
    if (found.size < Most) found += text
  }

  /** Adds another report, each problem of which begins with `prefix`. */
  def add(other: PartitionReport, prefix: String = ""): PartitionReport = {
    entries += other.entries
    entriesOfKeys += other.entriesOfKeys
    bytes += other.bytes
    keys += other.keys
    waitingRows += other.waitingRows
    oldest = math.min(oldest, other.oldest)
    other.problems.foreach(text => problem(prefix + text))
    count += other.further
    this
  }
}

private[checkpoints] object PartitionReport {

  /** The number of problems that a report describes. */
  val Most = 20
}
