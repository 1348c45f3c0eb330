package org.slidewise.spark.execution.sorting

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Numbers partition keys in the order in which they first appear.
 *
 * Memory: a copy of each key, its entry in a hash table, and what [[ranks]] needs; all in [[bytes]].
 */
final private[execution] class GroupNumbers {
  private[this] val numbers = new java.util.HashMap[UnsafeRow, Integer]
  private[this] val keys = ArrayBuffer.empty[UnsafeRow]
  private[this] var held = 0L

  private[this] var last: UnsafeRow = _
  private[this] var lastNumber = 0

  def size: Int = keys.size
  def bytes: Long = held

  def of(key: UnsafeRow): Int = {
    if (last == null || last != key) {
      val known = numbers.get(key)
      if (known == null) add(key.copy())
      else {
        lastNumber = known
        last = keys(lastNumber)
      }
    }
    lastNumber
  }

  private def add(key: UnsafeRow): Unit = {
    last = key
    lastNumber = keys.size
    numbers.put(key, lastNumber)
    keys += key
    held += key.getSizeInBytes + GroupNumbers.Overhead
  }

  /** For each number, the rank of its key. */
  def ranks(ordering: Ordering[InternalRow]): Array[Int] = {
    val sorted = keys.indices.toArray.map(Integer.valueOf)
    java.util.Arrays.sort(sorted, (a: Integer, b: Integer) => ordering.compare(keys(a), keys(b)))
    val ranks = new Array[Int](keys.size)
    sorted.indices.foreach(rank => ranks(sorted(rank)) = rank)
    ranks
  }
}

private object GroupNumbers {

  // A row and its array 48, an entry of the table and its references 51, a number 16; for ranks 16 + 4 + 2 + 4.
  private val Overhead = 144L
}
