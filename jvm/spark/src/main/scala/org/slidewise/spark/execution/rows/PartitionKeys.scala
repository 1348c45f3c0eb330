package org.slidewise.spark.execution.rows

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/**
 * The partition key of a row, and its comparison.
 *
 * @param key
 *   the partition key of a row
 * @param same
 *   whether two keys belong to the same partition
 */
final private[execution] class PartitionKeys(
    val key: UnsafeProjection,
    fields: Int,
    val same: (UnsafeRow, UnsafeRow) => Boolean
) {

  /** The key of the current partition; set by its user. */
  val current = UnsafeRow.createFromByteArray(0, fields)
}
