package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow, XXH64}

/**
 * A hash of some columns of a row. Not safe for concurrent use.
 *
 * @param columns
 *   the columns of `input` to hash
 */
final private[parallel] class RowHash(columns: Seq[Attribute], input: Seq[Attribute]) {
  private[this] val areAll = columns.map(_.exprId) == input.map(_.exprId)
  private[this] val chosen = UnsafeProjection.create(columns, input)

  def apply(row: InternalRow): Long = {
    val hashed = row match {
      case whole: UnsafeRow if areAll => whole
      case _                          => chosen(row)
    }
    XXH64.hashUnsafeWords(hashed.getBaseObject, hashed.getBaseOffset, hashed.getSizeInBytes, RowHash.Seed)
  }
}

private object RowHash {
  private val Seed = 42L
}
