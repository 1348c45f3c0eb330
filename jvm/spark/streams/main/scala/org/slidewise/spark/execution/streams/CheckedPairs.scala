package org.slidewise.spark.execution.streams

import java.io.Closeable

import scala.collection.AbstractIterator

import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair

import org.slidewise.spark.expressions.RowStructure

/** Checks, while iterating over the entries of a state store, that keys and values have the structure of their types. */
private[streams] object CheckedPairs {
  def of(
      pairs: Iterator[UnsafeRowPair] with Closeable,
      key: RowStructure,
      value: RowStructure
  ): Iterator[UnsafeRowPair] with Closeable = new AbstractIterator[UnsafeRowPair] with Closeable {
    override def hasNext: Boolean = pairs.hasNext
    override def next(): UnsafeRowPair = {
      val pair = pairs.next()
      key.check(pair.key)
      value.check(pair.value)
      pair
    }
    override def close(): Unit = pairs.close()
  }
}
