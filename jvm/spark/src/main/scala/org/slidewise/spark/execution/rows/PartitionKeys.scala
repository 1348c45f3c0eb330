package org.slidewise.spark.execution.rows

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/**
 * How rows are told apart into partitions.
 *
 * @param key
 *   the partition key of a row
 * @param same
 *   whether two keys are of one partition
 */
final private[execution] class PartitionKeys(
    val key: UnsafeProjection,
    fields: Int,
    val same: (UnsafeRow, UnsafeRow) => Boolean
) {
  val current = UnsafeRow.createFromByteArray(0, fields)
}
