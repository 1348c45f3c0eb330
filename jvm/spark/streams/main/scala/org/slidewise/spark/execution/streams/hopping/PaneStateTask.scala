package org.slidewise.spark.execution.streams.hopping

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import org.apache.spark.sql.types.BooleanType

import org.slidewise.spark.plan.HoppingWindowPlan

/**
 * The watermarks of a batch, in microseconds.
 *
 * @param late
 *   windows that end until then have been emitted before this batch
 * @param eviction
 *   windows that end until then are complete after this batch
 */
final private[hopping] case class Watermarks(late: Long, eviction: Long)

private[hopping] object Watermarks {

  /** None if the windows have no watermark, so that none is ever complete. */
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

/** What a batch did to the panes of a partition. */
private[hopping] trait PaneCounts {
  def lateWindows: Long
  def written: Long
  def removed: Long
}

/**
 * The panes that one batch hands out of a state partition, after it has added the batch's partial aggregates to it. Rows of
 * [[HoppingWindowPlan.partial]] and of whether the pane was touched; the same object each time.
 *
 * Memory: in update mode, the starts of the panes of one group in the batch; else constant.
 *
 * @param partials
 *   rows of [[HoppingWindowPlan.partial]], in the order of groups and panes
 * @param finish
 *   is called once, after the last row
 */
abstract private[hopping] class PaneStateTask(
    partials: Iterator[InternalRow],
    plan: HoppingWindowPlan,
    store: PaneStore,
    watermarks: Option[Watermarks],
    finish: PaneCounts => Unit
) extends Iterator[InternalRow]
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

  /** Adds a partial aggregate of the batch to its pane, unless all windows of the pane are late; the start of the pane. */
  final protected def add(partial: UnsafeRow): Option[Long] = {
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

  final protected def startOf(pane: UnsafeRowPair): Long = pane.key.getLong(store.paneField)

  /** The end of the last window that holds the pane. */
  final protected def lastEnd(start: Long): Long = windows.lastStart(start) + windows.size

  final protected def row(pane: UnsafeRowPair, isTouched: Boolean): UnsafeRow = {
    flag.setBoolean(0, isTouched)
    output(flagged(joined(pane.key, pane.value), flag))
  }

  /** Whether windows have become complete in this batch. */
  final protected def hasCompleteWindows: Boolean =
    watermarks.exists(w => windows.lastStart(w.eviction - windows.size) + windows.size > w.late)

  /** The next pane to hand out, or null. */
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

/** Hands out all panes, and keeps them. */
final private[hopping] class AllPanes(
    partials: Iterator[InternalRow],
    plan: HoppingWindowPlan,
    store: PaneStore,
    finish: PaneCounts => Unit
) extends PaneStateTask(partials, plan, store, None, finish) {
  private[this] lazy val panes = {
    while (partials.hasNext) add(partials.next().asInstanceOf[UnsafeRow])
    store.all
  }

  override protected def advance(): UnsafeRow =
    if (panes.hasNext) row(panes.next(), isTouched = true)
    else {
      panes.close()
      null
    }
}

/** Hands out the panes of the windows that have become complete, and removes those that no other window holds. */
final private[hopping] class CompletePanes(
    partials: Iterator[InternalRow],
    plan: HoppingWindowPlan,
    store: PaneStore,
    watermarks: Watermarks,
    finish: PaneCounts => Unit
) extends PaneStateTask(partials, plan, store, Some(watermarks), finish) {
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
      val pane = all.next()
      val start = startOf(pane)
      if (windows.firstStart(start) + windows.size <= watermarks.eviction) {
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
 * Hands out the panes of the windows that hold a pane of the batch, group by group, and then removes the panes whose windows are
 * all complete. A pane of the batch counts as touched.
 */
final private[hopping] class TouchedPanes(
    partials: Iterator[InternalRow],
    plan: HoppingWindowPlan,
    store: PaneStore,
    watermarks: Option[Watermarks],
    finish: PaneCounts => Unit
) extends PaneStateTask(partials, plan, store, watermarks, finish) {
  private[this] val notBefore =
    watermarks.fold(Long.MinValue)(w => windows.lastStart(w.late - windows.size) + windows.slide)
  private[this] val batch = partials.buffered
  private[this] val group = UnsafeRow.createFromByteArray(0, plan.keys.size)
  private[this] val touched = new TouchedStarts(plan)
  private[this] var panes: Iterator[UnsafeRowPair] with Closeable = _

  override protected def advance(): UnsafeRow = {
    var found: UnsafeRow = null
    while (found == null && (panes != null || nextGroup())) {
      while (found == null && panes.hasNext) {
        val pane = panes.next()
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

  /** Adds the partial aggregates of the next group that has one in time; false if there is none. */
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
          val pane = all.next()
          if (lastEnd(startOf(pane)) <= marks.eviction) store.remove(pane)
        }
      finally all.close()
    }
}
