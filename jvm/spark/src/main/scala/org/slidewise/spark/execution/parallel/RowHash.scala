package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow, XXH64}

/**
 * A hash of some columns of a row. Not safe for concurrent use.
 *
 * @param columns
 *   the columns of `input` to hash
 */
final private[parallel] class RowHash(columns: Seq[Attribute], input: Seq[Attribute]) {
  private[this] val chosen: UnsafeProjection =
    if (columns.map(_.exprId) == input.map(_.exprId)) null else UnsafeProjection.create(columns, input)

  def apply(row: UnsafeRow): Long = {
    val hashed = if (chosen == null) row else chosen(row)
    XXH64.hashUnsafeWords(hashed.getBaseObject, hashed.getBaseOffset, hashed.getSizeInBytes, RowHash.Seed)
  }
}

private object RowHash {
  private val Seed = 42L
}
