package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions.{Attribute, InterpretedOrdering, UnsafeProjection, UnsafeRow}

import org.slidewise.core.selection.HeapBudget

/**
 * The numbers of partition keys that are hashed, in the first of a sorter's columns.
 *
 * @param numbers
 *   the numbers of keys; whoever shares it with another sorter holds the memory that it has already taken
 */
final private[sorting] class HashedKeys(
    spec: SortSpec,
    input: Seq[Attribute],
    budget: HeapBudget,
    numbers: GroupNumbers
) {
  private[this] lazy val keyOf = UnsafeProjection.create(spec.hashed, input)
  private[this] val shared = numbers.bytes
  private[this] var held = shared
  private[this] var rankOf: Array[Int] = _

  /** The number of distinct keys. */
  def size: Int = numbers.size

  /** Numbers the key of the row number `at`. False if there is no memory for it. */
  def number(row: UnsafeRow, columns: LongColumns, at: Int): Boolean = {
    columns.set(0, at, numbers.of(keyOf(row)).toLong)
    val bytes = numbers.bytes
    bytes == held || budget.acquire(bytes - held) && {
      held = bytes
      true
    }
  }

  /** Replaces the numbers of the first `count` rows by the ranks of their keys. */
  def rank(columns: LongColumns, count: Int): Unit = {
    val ranks = numbers.ranks(InterpretedOrdering.forSchema(spec.hashed.map(_.dataType)))
    rankOf = ranks
    val keys = columns(0)
    var i = 0
    while (i < count) {
      keys(i) = ranks(keys(i).toInt).toLong
      i += 1
    }
  }

  /** The rank of each key by its number, once [[rank]] has been called. */
  def ranks: Array[Int] = rankOf

  /** Gives the memory back. */
  def release(): Unit = {
    budget.release(held - shared)
    held = shared
  }
}
