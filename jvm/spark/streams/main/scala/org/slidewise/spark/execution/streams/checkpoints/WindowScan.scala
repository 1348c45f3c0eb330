package org.slidewise.spark.execution.streams.checkpoints

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.streaming.state.{ReadStateStore, UnsafeRowPair}

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.streams._

/**
 * Checks the cells of a partition against each other: each cell that a header announces exists, each cell belongs to a header, and
 * the counts of the partition match its keys.
 *
 * The description of the state does not contain the columns of rows that are kept for frames. Such rows are only counted.
 */
final private class WindowScan(form: WindowForm, store: ReadStateStore) extends PartitionScan {
  private[this] val cells = new ReadCells(store, form)
  private[this] val index = new TimerIndex(cells)
  private[this] val row = new UnsafeRow(form.input.fields)
  private[this] val buffer = form.buffers.map(_.map(structure => new UnsafeRow(structure.fields)))

  // For each section, the number of cells that headers announce, minus the number of cells found.
  private[this] val missing = new Array[Long](StateCells.FirstFrame + form.frames.size)

  override def add(pair: UnsafeRowPair, report: PartitionReport): Unit = {
    val section = pair.key.getInt(0)
    val (low, high) = (pair.value.getLong(StateCells.LowField), pair.value.getLong(StateCells.HighField))
    val data = pair.value.getBinary(StateCells.DataField)
    if (section >= 0 && section < missing.length && WindowForm.hasKey(section)) missing(section) -= 1
    try
      section match {
        case StateCells.Header    => header(pair.key.copy(), data, report)
        case StateCells.Pending   => pending(low, high, data)
        case StateCells.Rows      => rows(low, high, data)
        case StateCells.Waiting   => rows(low, high, data); PendingBlock.of(high, data, form.input)
        case StateCells.Timers    => timer(pair.key.getLong(1), low)
        case StateCells.Index     => require(data.nonEmpty && data.length <= 512, "has no node")
        case StateCells.Partition => PartitionState.stored(cells)
        case frame if frame < missing.length && frame >= StateCells.FirstFrame =>
          ofFrame(frame - StateCells.FirstFrame, low, high, data)
        case other => throw new CorruptState(s"no window has a section $other")
      }
    catch {
      case e: CorruptState => report.problem(s"section $section${keyOf(pair.key)}: ${e.what}")
    }
  }

  private def require(holds: Boolean, problem: => String): Unit = if (!holds) throw new CorruptState(problem)

  private def keyOf(key: UnsafeRow): String =
    if (!WindowForm.hasKey(key.getInt(0))) ""
    else
      form.keyFields
        .map(i => String.valueOf(key.get(i, form.schemas.key(i).dataType)))
        .mkString(" of the key [", ", ", "]")

  private def header(key: UnsafeRow, data: Array[Byte], report: PartitionReport): Unit = {
    report.keys += 1
    missing(StateCells.Header) += 1
    val bucket = key.getLong(1)
    key.setLong(1, 0L)
    require(
      bucket == StateCells.groupOf(key),
      s"the header is in bucket $bucket, and not in ${StateCells.groupOf(key)}"
    )
    val header = StoredHeader.read(data, form.frames)
    report.waitingRows += header.waitingRows
    report.oldest = math.min(report.oldest, math.min(header.oldest, oldestOf(header.pending)))
    header.pending.blocks.foreach { block =>
      val rows = PendingBlock.countIn(dataOf(key, StateCells.Pending, block.number))
      require(
        rows == block.count,
        s"pending block ${block.number} has $rows rows, and ${block.count} are announced"
      )
    }
    missing(StateCells.Pending) += header.pending.blocks.size
    header.logs.foreach { log =>
      val (from, until) = log.blocks
      var number = from
      while (number < until) {
        dataOf(key, log.section, number)
        number += 1
      }
      missing(log.section) += until - from
    }
    header.logs.filter(_.section == StateCells.Waiting).foreach(log => structured(log.rest))
    header.buffers.foreach { case (frame, bytes) => check(frame, bytes) }
    if (header.timer != Long.MaxValue) {
      missing(StateCells.Timers) += 1
      val timer = cells.get(key, StateCells.Timers, TimerIndex.bucketOf(header.timer), 0L)
      require(
        timer != null && timer.getLong(StateCells.LowField) == header.timer,
        "the timer of the key is missing"
      )
    }
  }

  private def structured(rows: Array[Byte]): Unit = if (rows.nonEmpty) PendingBlock.of(0, rows, form.input)

  /** The time of the oldest row that waits for the watermark. */
  private def oldestOf(pending: StoredPending): Long = {
    structured(pending.rest)
    if (pending.blocks.nonEmpty) pending.blocks.head.first
    else if (pending.rest.isEmpty) Long.MaxValue
    else PendingBlock.of(0, pending.rest, form.input).pointTo(row, 0).getLong(form.timeField)
  }

  private def dataOf(key: UnsafeRow, section: Int, number: Long): Array[Byte] = {
    val cell = cells.get(key, section, 0L, number)
    require(cell != null, s"section $section has no cell $number")
    cell.getBinary(StateCells.DataField)
  }

  private def pending(first: Long, last: Long, data: Array[Byte]): Unit = {
    val rows = PendingBlock.of(0, data, form.input)
    def timeAt(at: Int) = rows.pointTo(row, at).getLong(form.timeField)
    require(timeAt(0) == first && timeAt(rows.count - 1) == last, "a block has other times than its rows")
  }

  private def rows(first: Long, end: Long, data: Array[Byte]): Unit = {
    val count = PendingBlock.countIn(data)
    require(end - first == count, s"a block of $count rows is from position $first to $end")
  }

  private def timer(bucket: Long, time: Long): Unit = {
    require(TimerIndex.bucketOf(time) == bucket, s"a timer of $time is in bucket $bucket")
    require(index.next(bucket, bucket) == bucket, s"the index of timers has no bucket $bucket")
  }

  private def ofFrame(frame: Int, low: Long, high: Long, data: Array[Byte]): Unit =
    if (form.frames(frame).state == StoredFrame.LastOccurrences) rows(low, high, data) else check(frame, data)

  private def check(frame: Int, state: Array[Byte]): Unit =
    form.buffers(frame).zip(buffer(frame)).foreach { case (structure, row) =>
      row.pointTo(state, state.length)
      structure.check(row)
    }

  override def finish(report: PartitionReport): Unit = {
    missing.indices.foreach { section =>
      // Headers do not announce the cells of buffers one by one.
      val isAnnounced = section < StateCells.FirstFrame ||
        form.frames(section - StateCells.FirstFrame).state == StoredFrame.LastOccurrences
      if (isAnnounced && missing(section) < 0)
        report.problem(s"section $section has ${-missing(section)} cells that no key has")
    }
    val counted = PartitionState.stored(cells)
    if (counted.keys != report.keys || counted.waitingRows != report.waitingRows)
      report.problem(
        s"${report.keys} keys and ${report.waitingRows} waiting rows were found, and ${counted.keys} and " +
          s"${counted.waitingRows} are recorded"
      )
  }
}
