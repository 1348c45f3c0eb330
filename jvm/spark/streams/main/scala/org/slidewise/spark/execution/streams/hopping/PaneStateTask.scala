package org.slidewise.spark.execution.streams.hopping

import java.io.Closeable

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import org.apache.spark.sql.types.BooleanType

import org.slidewise.spark.execution.streams.CancellationCheck
import org.slidewise.spark.plan.HoppingWindowPlan

/**
 * The watermarks of a batch, in microseconds.
 *
 * @param late
 *   the watermark for late rows; windows that end at this time or before were complete before this batch
 * @param eviction
 *   the watermark for eviction; windows that end at this time or before are complete after this batch
 */
final private[hopping] case class Watermarks(late: Long, eviction: Long)

private[hopping] object Watermarks {

  /** The watermarks of a batch. None if the windows have no watermark, so that no window is ever complete. */
  def of(
      plan: HoppingWindowPlan,
      lateMillis: Option[Long],
      evictionMillis: Option[Long]
  ): Option[Watermarks] =
    for {
      late <- lateMillis
      eviction <- evictionMillis
      if plan.window.metadata.contains(EventTimeWatermark.delayKey)
    } yield Watermarks(late * 1000, eviction * 1000)
}

/** Counts the late windows and the written and removed panes of one batch in a state partition. */
private[hopping] trait PaneCounts {
  def lateWindows: Long
  def written: Long
  def removed: Long
}

/**
 * Adds the partial aggregates of a batch to a state partition, and returns the panes of the windows that the batch emits. Each row
 * has the columns of [[HoppingWindowPlan.partial]] and a boolean, whether the batch touched the pane. Reuses the returned object.
 *
 * Memory: 8 to 16 bytes for each pane of one group in the batch in update mode, and constant in the other modes.
 *
 * @param partials
 *   rows of [[HoppingWindowPlan.partial]], in the order of groups and panes
 * @param cancellation
 *   counts each partial aggregate and each pane as a step
 * @param finish
 *   called once, after the last row
 */
abstract private[hopping] class PaneStateTask(
    partials: Iterator[InternalRow],
    plan: HoppingWindowPlan,
    store: PaneStore,
    watermarks: Option[Watermarks],
    cancellation: CancellationCheck,
    finish: PaneCounts => Unit
) extends AbstractIterator[InternalRow]
    with PaneCounts {
  protected val windows = plan.windows
  private[this] val late = watermarks.map(w => new LateWindows(plan, w.late))
  private[this] val current = UnsafeRow.createFromByteArray(0, plan.keys.size)
  private[this] var started, finished = false

  private[this] val flag = new GenericInternalRow(1)
  private[this] val joined, flagged = new JoinedRow
  private[this] val output = UnsafeProjection.create(
    (PaneStore.keySchema(plan).map(_.dataType) ++ PaneStore.valueSchema(plan).map(_.dataType) :+
      BooleanType).toArray
  )

  override def lateWindows: Long = late.fold(0L)(_.count)
  override def written: Long = store.written
  override def removed: Long = store.removed

  /** Adds a partial aggregate of the batch to its pane and returns the pane's start. None if all windows of the pane are late. */
  final protected def add(partial: UnsafeRow): Option[Long] = {
    cancellation.step()
    val start = partial.getLong(store.paneField)
    val group = store.groupOf(partial)
    if (!started || current != group) {
      started = true
      current.copyFrom(group)
      late.foreach(_.startGroup())
    }
    if (late.exists(_.add(group, start))) None
    else {
      store.add(partial)
      Some(start)
    }
  }

  /** The next pane of the state. Counts a step of the task. */
  final protected def next(panes: Iterator[UnsafeRowPair]): UnsafeRowPair = {
    cancellation.step()
    panes.next()
  }

  final protected def startOf(pane: UnsafeRowPair): Long = pane.key.getLong(store.paneField)

  /** The end of the last window that contains the pane. */
  final protected def lastEnd(start: Long): Long = windows.end(windows.lastStart(start))

  final protected def row(pane: UnsafeRowPair, isTouched: Boolean): UnsafeRow = {
    flag.setBoolean(0, isTouched)
    output(flagged(joined(pane.key, pane.value), flag))
  }

  /** Whether windows have become complete in this batch. */
  final protected def hasCompleteWindows: Boolean =
    watermarks.exists(w => windows.end(windows.lastEnded(w.eviction)) > w.late)

  /** The next pane to return, or null if there is none. */
  protected def advance(): UnsafeRow

  private[this] var following: UnsafeRow = _

  final override def hasNext: Boolean = {
    if (following == null && !finished) {
      following = advance()
      if (following == null) {
        finished = true
        finish(this)
      }
    }
    following != null
  }

  final override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there are no more panes")
    val row = following
    following = null
    row
  }
}

/** Complete mode: returns all panes and removes none. */
final private[hopping] class AllPanes(
    partials: Iterator[InternalRow],
    plan: HoppingWindowPlan,
    store: PaneStore,
    cancellation: CancellationCheck,
    finish: PaneCounts => Unit
) extends PaneStateTask(partials, plan, store, None, cancellation, finish) {
  private[this] lazy val panes = {
    while (partials.hasNext) add(partials.next().asInstanceOf[UnsafeRow])
    store.all
  }

  override protected def advance(): UnsafeRow =
    if (panes.hasNext) row(next(panes), isTouched = true)
    else {
      panes.close()
      null
    }
}

/** Append mode: returns the panes of the windows that have become complete. Removes the panes that no later window contains. */
final private[hopping] class CompletePanes(
    partials: Iterator[InternalRow],
    plan: HoppingWindowPlan,
    store: PaneStore,
    watermarks: Watermarks,
    cancellation: CancellationCheck,
    finish: PaneCounts => Unit
) extends PaneStateTask(partials, plan, store, Some(watermarks), cancellation, finish) {
  private[this] lazy val panes = {
    while (partials.hasNext) add(partials.next().asInstanceOf[UnsafeRow])
    if (hasCompleteWindows) Some(store.all) else None
  }

  override protected def advance(): UnsafeRow = panes match {
    case Some(all) => nextOf(all)
    case None      => null
  }

  private def nextOf(all: Iterator[UnsafeRowPair] with Closeable): UnsafeRow = {
    while (all.hasNext) {
      val pane = next(all)
      val start = startOf(pane)
      if (windows.end(windows.firstStart(start)) <= watermarks.eviction) {
        val found = row(pane, isTouched = true)
        if (lastEnd(start) <= watermarks.eviction) store.remove(pane)
        return found
      }
    }
    all.close()
    null
  }
}

/**
 * Update mode: returns, group by group, the panes of the windows that contain a pane of the batch. A pane of the batch counts as
 * touched. After the last group, removes the panes whose windows are all complete.
 */
final private[hopping] class TouchedPanes(
    partials: Iterator[InternalRow],
    plan: HoppingWindowPlan,
    store: PaneStore,
    watermarks: Option[Watermarks],
    cancellation: CancellationCheck,
    finish: PaneCounts => Unit
) extends PaneStateTask(partials, plan, store, watermarks, cancellation, finish) {
  private[this] val notBefore =
    watermarks.fold(Long.MinValue)(w => windows.firstStart(w.late))
  private[this] val batch = partials.buffered
  private[this] val group = UnsafeRow.createFromByteArray(0, plan.keys.size)
  private[this] val touched = new TouchedStarts(plan)
  private[this] var panes: Iterator[UnsafeRowPair] with Closeable = _

  override protected def advance(): UnsafeRow = {
    var found: UnsafeRow = null
    while (found == null && (panes != null || nextGroup())) {
      while (found == null && panes.hasNext) {
        val pane = next(panes)
        val start = startOf(pane)
        if (touched.isNear(start)) found = row(pane, touched.contains(start))
      }
      if (found == null) {
        panes.close()
        panes = null
      }
    }
    if (found == null) evict()
    found
  }

  /** Moves to the next group with a partial aggregate that is not late, and adds its partial aggregates. False if there is none. */
  private def nextGroup(): Boolean = {
    touched.clear(notBefore)
    while (touched.isEmpty && batch.hasNext) {
      group.copyFrom(store.groupOf(batch.head.asInstanceOf[UnsafeRow]))
      while (batch.hasNext && store.groupOf(batch.head.asInstanceOf[UnsafeRow]) == group)
        add(batch.next().asInstanceOf[UnsafeRow]).foreach(touched.add)
    }
    if (!touched.isEmpty) panes = store.panesOf(group)
    !touched.isEmpty
  }

  private def evict(): Unit =
    for (marks <- watermarks if hasCompleteWindows) {
      val all = store.all
      try
        while (all.hasNext) {
          val pane = next(all)
          if (lastEnd(startOf(pane)) <= marks.eviction) store.remove(pane)
        }
      finally all.close()
    }
}
