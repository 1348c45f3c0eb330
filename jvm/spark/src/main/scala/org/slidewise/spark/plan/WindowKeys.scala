package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.execution.SortPrefixUtils

import org.slidewise.spark.shims.SparkCollations

/** Properties of partition and order keys that decide how rows are grouped and sorted. */
private[spark] object WindowKeys {

  /** The partition keys, as expressions whose equal values have equal bytes. These expressions sort as the keys do. */
  def asBytes(partition: Seq[Expression]): Seq[Expression] = partition.map(SparkCollations.binary)

  /** Whether equal keys have equal bytes, so that Slidewise can group rows by them. */
  def haveBytes(partition: Seq[Expression]): Boolean =
    asBytes(partition).forall(key => SparkCollations.isBinaryStable(key.dataType))

  /** Whether 64 bits distinguish all values of an order key. */
  def fitsInLong(order: SortOrder): Boolean = SortPrefixUtils.canSortFullyWithPrefix(order)
}
