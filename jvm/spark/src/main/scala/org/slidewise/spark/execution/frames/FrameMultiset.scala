package org.slidewise.spark.execution.frames

import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.collection.AbstractIterator
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, Mode, PercentileBase}

import org.slidewise.core.multisets.{ModeTournament, TieOrder}
import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.expressions.{DistinctAggregate, GroupingKeys, SparkProbes}
import org.slidewise.spark.plan.PlannedAggregate
import org.slidewise.spark.shims.ModeTies

/** The elements of a frame do not make up a multiset. */
private[frames] object NoMultiset extends RuntimeException(null, null, false, false)

/**
 * A function of the multiset of a frame's values. Rows are added when they enter the frame and removed when they leave it.
 *
 * Implementations charge their memory with [[HeapMemory.chargeIfPossible]]: Spark's aggregate functions hold as many values and
 * charge nothing.
 */
private[execution] trait FrameMultiset {

  /** Throws [[NoMultiset]] if the frame must be recalculated. */
  def add(row: InternalRow): Unit

  /** Removes a row that has been added. */
  def remove(row: InternalRow): Unit

  /** The result for the current frame; null if it has none. */
  def result: Any

  /** Begins with no rows; gives no memory back. */
  def clear(): Unit

  /** As [[clear]], once the memory of all multisets has been given back. */
  def restart(): Unit
}

private[execution] object FrameMultiset {
  def of(planned: PlannedAggregate, input: Seq[Attribute], memory: HeapMemory): FrameMultiset =
    planned.function match {
      case mode: Mode                 => new FrameMode(mode, planned.filter, input, memory)
      case percentile: PercentileBase => new FrameQuantiles(percentile, planned.filter, input, memory)
      case distinct @ DistinctAggregate(_: Count, _, _) =>
        new FrameDistinctCount(RowTuple.of(distinct, planned.filter, input), memory)
      case distinct: DistinctAggregate =>
        new FrameDistinct(distinct, RowTuple.of(distinct, planned.filter, input), memory)
      case other => throw new IllegalArgumentException(s"${other.prettyName} is no function of a multiset")
    }
}

/** A value, or a tuple of values, with the number of rows of the frame that hold it. */
final private class Element(val values: UnsafeRow, val code: Int) {
  var count = 0
}

/**
 * A function of the distinct tuples of values of a frame, in a hash table.
 *
 * Memory: each distinct tuple, and its key where equal tuples may have other bytes.
 */
abstract private[frames] class FrameTuples(tuples: RowTuple, memory: HeapMemory) extends FrameMultiset {
  import FrameTuples._

  private[this] var elements = new JLinkedHashMap[UnsafeRow, Element]
  private[this] val freeCodes = ArrayBuffer.empty[Int]
  private[this] var held, reserved = 0L
  private[this] var most = 0 // elements since the table was made

  protected def added(element: Element): Unit
  protected def removed(element: Element): Unit

  /** The distinct tuples, in the order in which they came. */
  final protected def distinct: JLinkedHashMap[UnsafeRow, Element] = elements

  final override def add(row: InternalRow): Unit = {
    val key = tuples.keyOf(row)
    if (key != null) {
      var element = elements.get(key)
      if (element == null) element = create(key)
      element.count += 1
      added(element)
    }
  }

  final override def remove(row: InternalRow): Unit = {
    val key = tuples.keyOf(row)
    if (key != null) {
      val element = elements.get(key)
      element.count -= 1
      removed(element)
      if (element.count == 0) {
        held -= bytes(key, element)
        freeCodes += element.code
        elements.remove(key)
      }
    }
  }

  private def create(key: UnsafeRow): Element = {
    val code = if (freeCodes.isEmpty) elements.size else freeCodes.remove(freeCodes.size - 1)
    val element = new Element(tuples.tuple.copy(), code)
    held += bytes(key, element)
    if (held > reserved) reserve()
    elements.put(if (tuples.isKey) element.values else key.copy(), element)
    most = math.max(most, elements.size)
    element
  }

  private def reserve(): Unit = {
    val more = math.max(held - reserved, LeastReservation)
    memory.chargeIfPossible(more)
    reserved += more
  }

  private def bytes(key: UnsafeRow, element: Element): Long =
    ElementBytes + element.values.getSizeInBytes + (if (tuples.isKey) 0 else key.getSizeInBytes + RowBytes)

  override def clear(): Unit = {
    // To clear a table takes as long as it has room: partitions of few rows must not pay for a large one before them.
    if (most <= FewElements) elements.clear()
    else {
      elements = new JLinkedHashMap
      most = 0
    }
    freeCodes.clear()
    held = 0L
  }

  final override def restart(): Unit = {
    clear()
    reserved = 0L
  }
}

private object FrameTuples {
  private val RowBytes = 64L

  // Of an element and its row, an entry of the table and its references, and what a subclass keeps for a code.
  private val ElementBytes = 24L + RowBytes + 72L + 24L
  private val LeastReservation = 64L << 10
  private val FewElements = 64
}

/** `mode`; of several most frequent values the smallest, or the greatest. O(log u) comparisons at most for a row. */
final private class FrameMode(
    mode: Mode,
    filter: Option[Expression],
    input: Seq[Attribute],
    memory: HeapMemory
) extends FrameTuples(new RowTuple(Seq(FrameMode.counted(mode)), filter, input, skipsNulls = true), memory) {
  private[this] val dataType = mode.child.dataType
  private[this] val byCode = ArrayBuffer.empty[Element]
  private[this] val tournament = new ModeTournament
  private[this] val ties = {
    val ordering = InterpretedOrdering.forSchema(Seq(dataType))
    val sign = if (ModeTies.takesGreatest(mode)) -1 else 1
    new TieOrder {
      override def precedes(a: Int, b: Int): Boolean = {
        val order = sign * ordering.compare(byCode(a).values, byCode(b).values)
        order < 0 || order == 0 && a < b // zeros that are counted apart are equal
      }
    }
  }
  tournament.reset(0, ties)

  override protected def added(element: Element): Unit = {
    while (byCode.size <= element.code) byCode += null
    byCode(element.code) = element
    tournament.add(element.code)
  }

  override protected def removed(element: Element): Unit = tournament.remove(element.code)

  override def result: Any = {
    val code = tournament.winner
    if (code < 0) null else byCode(code).values.get(0, dataType)
  }

  override def clear(): Unit = {
    super.clear()
    byCode.clear()
    tournament.reset(0, ties)
  }
}

private object FrameMode {

  /** What is counted, with one representation of zero where Spark has one. */
  private def counted(mode: Mode): Expression =
    if (SparkProbes.modeJoinsZeros) GroupingKeys.normalized(mode.child) else mode.child
}

/** `count(DISTINCT …)`. */
final private class FrameDistinctCount(tuples: RowTuple, memory: HeapMemory)
    extends FrameTuples(tuples, memory) {
  override protected def added(element: Element): Unit = {}
  override protected def removed(element: Element): Unit = {}
  override def result: Any = distinct.size.toLong
}

/** Any other function of distinct tuples, which goes over all of them where one has come or gone. */
final private class FrameDistinct(function: DistinctAggregate, tuples: RowTuple, memory: HeapMemory)
    extends FrameTuples(tuples, memory) {
  private[this] val evaluate = function.newEvaluator()
  private[this] var isEvaluated = false
  private[this] var last: Any = _

  override protected def added(element: Element): Unit = if (element.count == 1) isEvaluated = false
  override protected def removed(element: Element): Unit = if (element.count == 0) isEvaluated = false

  override def result: Any = {
    if (!isEvaluated) {
      last = evaluate(new Iterable[InternalRow] {
        override def iterator: Iterator[InternalRow] = {
          val all = distinct.values.iterator
          new AbstractIterator[InternalRow] {
            override def hasNext: Boolean = all.hasNext
            override def next(): InternalRow = all.next().values
          }
        }
      })
      isEvaluated = true
    }
    last
  }

  override def clear(): Unit = {
    super.clear()
    isEvaluated = false
  }
}
