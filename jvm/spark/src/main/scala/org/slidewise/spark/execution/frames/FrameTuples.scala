package org.slidewise.spark.execution.frames

import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.task.HeapMemory

/** A value, or a tuple of values, with the number of rows of the frame that hold it. */
final private class Element(val values: UnsafeRow, val code: Int) {
  var count = 0

  /** The position of the last of these rows, if the rows have been added with their positions. */
  var last = -1L
}

/**
 * A function of the distinct tuples of values of a frame, in a hash table.
 *
 * Memory: each distinct tuple, and its key if equal tuples may differ in their bytes.
 */
abstract private[frames] class FrameTuples(tuples: RowTuple, memory: HeapMemory) extends LastOccurrences {
  import FrameTuples._

  private[this] var elements = new JLinkedHashMap[UnsafeRow, Element]
  private[this] val freeCodes = ArrayBuffer.empty[Int]
  private[this] var held, reserved = 0L
  private[this] var most = 0 // elements at a time, since the table was made

  protected def added(element: Element): Unit
  protected def removed(element: Element): Unit

  /** The distinct tuples, in the order in which they were added first. */
  final protected def distinct: JLinkedHashMap[UnsafeRow, Element] = elements

  final override def add(row: InternalRow): Unit = add(row, -1L): Unit

  final override def add(row: InternalRow, position: Long): Boolean = {
    val counts = tuples.read(row)
    if (counts) {
      val key = tuples.key
      var element = elements.get(key)
      if (element == null) element = create(key)
      element.count += 1
      element.last = position
      added(element)
    }
    counts
  }

  final override def remove(row: InternalRow): Unit = if (tuples.read(row)) {
    val key = tuples.key
    val element = elements.get(key)
    element.count -= 1
    removed(element)
    if (element.count == 0) {
      held -= bytes(key, element)
      freeCodes += element.code
      elements.remove(key)
    }
  }

  final override def isLast(row: InternalRow, position: Long): Boolean =
    tuples.read(row) && elements.get(tuples.key).last == position

  final override def size: Int = elements.size

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
    // Clearing a table takes time proportional to its capacity. A small partition must not pay for a large partition before it.
    if (most <= FewElements) elements.clear()
    else {
      elements = new JLinkedHashMap
      most = 0
    }
    freeCodes.clear()
    held = 0L
  }

  final override def clearAfterRelease(): Unit = {
    clear()
    reserved = 0L
  }
}

private object FrameTuples {
  private val RowBytes = 64L

  // An element, its row, a table entry with its references, and the data of a subclass for a code.
  private val ElementBytes = 32L + RowBytes + 72L + 24L
  private val LeastReservation = 64L << 10
  private val FewElements = 64
}
