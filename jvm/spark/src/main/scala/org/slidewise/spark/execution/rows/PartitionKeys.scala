package org.slidewise.spark.execution.rows

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.plan.WindowKeys

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

private[execution] object PartitionKeys {

  /** Partition keys that consist of the values of `keys` over rows of `input`. */
  def of(keys: Seq[Expression], input: Seq[Attribute]): PartitionKeys = {
    val same =
      if (keys.forall(key => WindowKeys.hasBytes(key.dataType)))
        (a: UnsafeRow, b: UnsafeRow) => a.equals(b)
      else {
        val ordering = InterpretedOrdering.forSchema(keys.map(_.dataType))
        (a: UnsafeRow, b: UnsafeRow) => ordering.compare(a, b) == 0
      }
    new PartitionKeys(UnsafeProjection.create(keys, input), keys.size, same)
  }
}
