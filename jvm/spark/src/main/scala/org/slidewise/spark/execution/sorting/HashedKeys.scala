package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions.{Attribute, InterpretedOrdering, UnsafeProjection, UnsafeRow}

import org.slidewise.core.selection.HeapBudget
import org.slidewise.spark.execution.blocks.{BlockDecoder, BlockLayout, DecodedRows}

/**
 * Numbers hashed partition keys, and writes the numbers into the first column of a sorter.
 *
 * @param numbers
 *   the numbers of keys. If two sorters share them, the owner charges the memory that they take before this sorter starts
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

  // The field that each key is, or -1 for a key that is another expression.
  private[this] val fields = spec.hashed.map(key => input.indexWhere(_.semanticEquals(key))).toArray
  private[this] lazy val keysOfBlock = new BlockKeys(BlockLayout.of(input), fields)

  /** Whether all keys are fields, so that the keys of blocks can be numbered without creating rows. */
  def areFields: Boolean = fields.forall(_ >= 0)

  /** Numbers the key of `row`, which has the row number `at`. Returns false if there is no memory for the key. */
  def number(row: UnsafeRow, columns: LongColumns, at: Int): Boolean = {
    columns.set(0, at, numbers.of(keyOf(row)).toLong)
    holdsNumbers()
  }

  /** Numbers the keys of a block's rows, the first of which has the row number `at`. Requires [[areFields]]. */
  def number(block: BlockDecoder, columns: LongColumns, at: Int): Boolean = {
    keysOfBlock.read(block)
    var row = 0
    while (row < block.count) {
      columns.set(0, at + row, keysOfBlock.number(row, numbers).toLong)
      row += 1
    }
    holdsNumbers()
  }

  private def holdsNumbers(): Boolean = {
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

/**
 * The keys of a block's rows. A key that the block stores once for several rows is looked up once.
 *
 * Memory: the keys of the rows of a block.
 */
final private class BlockKeys(layout: BlockLayout, fields: Array[Int]) {
  private[this] val keys = new DecodedRows(layout, fields, 0)
  private[this] val key = new UnsafeRow(fields.length)
  private[this] var block: BlockDecoder = _
  private[this] var isDistinct = false
  private[this] val found = new Array[Int](BlockDecoder.MostDistinct)

  /** Reads the keys of a block. */
  def read(decoded: BlockDecoder): Unit = {
    block = decoded
    keys.write(block)
    isDistinct = fields.length == 1 && block.isDistinct(fields.head)
    if (isDistinct) java.util.Arrays.fill(found, -1)
  }

  /** The number of a row's key. */
  def number(row: Int, numbers: GroupNumbers): Int =
    if (!isDistinct || block.isNull(fields(0), row)) numbers.of(keyAt(row))
    else {
      val value = block.distinctValue(fields(0), row)
      if (found(value) < 0) found(value) = numbers.of(keyAt(row))
      found(value)
    }

  private def keyAt(row: Int): UnsafeRow = {
    keys.pointTo(key, row)
    key
  }
}
