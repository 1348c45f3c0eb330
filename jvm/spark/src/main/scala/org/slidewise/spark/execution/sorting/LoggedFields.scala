package org.slidewise.spark.execution.sorting

import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.blocks.BlockLayout
import org.slidewise.spark.execution.blocks.BlockLayout.WordBytes

/** Copies the fields in a sorter's log to assembled rows. */
final private[sorting] class LoggedFields(stored: StoredRows, target: AssembledRows) {
  import LoggedFields.FewBytes

  private[this] val logged = stored.fields.logged
  private[this] val layout = BlockLayout.of(stored.fields.loggedAttributes)
  private[this] val places = stored.places()
  private[this] val differ = stored.log.bytesARow < 0

  /** Locates the rows at places `from` to before `until`, and makes room for as many of them as are assembled together. */
  def begin(from: Int, until: Int): Unit = {
    places.locate(from, until)
    places.prefetch(until - from)
    target.clear()
    while (target.count < until - from && (target.count == 0 || target.bytes < FewBytes))
      target.add(places.sizeOf(target.count) - layout.fixedBytes)
    target.begin()
  }

  def write(): Unit = {
    logged.indices.foreach(writeWords)
    writeNulls()
    if (differ) writeValues()
  }

  private def writeWords(number: Int): Unit = {
    val field = logged(number)
    val from = (layout.nullLanes + number) * WordBytes
    // A variable-length value begins after the words of its row. An assembled row has more words than a logged row.
    val later =
      if (layout.isSized(number)) (target.layout.fixedBytes - layout.fixedBytes).toLong << 32 else 0L
    var row = 0
    while (row < target.count) {
      val word = Platform.getLong(places.bases(row), places.offsets(row) + from)
      target.put(field, row, if (word == 0L) 0L else word + later)
      row += 1
    }
  }

  private def writeNulls(): Unit = {
    var lane = 0
    while (lane < layout.nullLanes) {
      var row = 0
      while (row < target.count) {
        var bits = Platform.getLong(places.bases(row), places.offsets(row) + lane * WordBytes)
        while (bits != 0L) {
          target.setNull(logged(lane * 64 + java.lang.Long.numberOfTrailingZeros(bits)), row)
          bits &= bits - 1
        }
        row += 1
      }
      lane += 1
    }
  }

  private def writeValues(): Unit = {
    var row = 0
    while (row < target.count) {
      target.putValues(row, places.bases(row), places.offsets(row) + layout.fixedBytes)
      row += 1
    }
  }
}

private[sorting] object LoggedFields {

  /** Size in bytes at which a group of rows that are assembled together is complete. */
  final val FewBytes: Int = 256 << 10
}
