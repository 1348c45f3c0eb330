package org.slidewise.spark.execution.frames

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.expressions.DistinctAggregate

/** `count(DISTINCT …)`. */
final private class FrameDistinctCount(tuples: RowTuple, memory: HeapMemory)
    extends FrameTuples(tuples, memory) {
  override protected def added(element: Element): Unit = {}
  override protected def removed(element: Element): Unit = {}
  override def result: Any = size.toLong
}

/** Any other DISTINCT aggregate. Aggregates all distinct tuples again after a tuple has appeared or disappeared. */
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
