package org.slidewise.spark.execution.frames

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.expressions.{DistinctAggregate, GroupingKeys}

/** `count(DISTINCT …)`. */
final private class FrameDistinctCount(
    values: Seq[Expression],
    filter: Option[Expression],
    input: Seq[Attribute],
    memory: HeapMemory
) extends FrameTuples(values.map(GroupingKeys.normalized(_)), filter, input, memory) {
  override protected def skips(tuple: UnsafeRow): Boolean = tuple.anyNull
  override protected def added(element: Element): Unit = {}
  override protected def removed(element: Element): Unit = {}
  override def result: Any = size.toLong
}

/** Any other function of distinct tuples, which goes over all of them where one has come or gone. */
final private class FrameDistinct(
    function: DistinctAggregate,
    filter: Option[Expression],
    input: Seq[Attribute],
    memory: HeapMemory
) extends FrameTuples(function.tuple, filter, input, memory) {
  private[this] val evaluate = function.newEvaluator()
  private[this] var isEvaluated = false
  private[this] var last: Any = _

  override protected def skips(tuple: UnsafeRow): Boolean = false
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
