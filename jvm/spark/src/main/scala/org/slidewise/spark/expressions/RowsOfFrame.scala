package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.internal.SQLConf

/** Functions of the rows of a frame that stand for other clauses of a query. */
private[spark] object RowsOfFrame {

  /** The value of the first row, also if it is null. */
  def first(value: Expression): AggregateFunction = First(value, ignoreNulls = false)

  /** The value of the last row, also if it is null. */
  def last(value: Expression): AggregateFunction = Last(value, ignoreNulls = false)

  /** The least value. */
  def min(value: Expression): AggregateFunction = Min(value)

  /** The greatest value. */
  def max(value: Expression): AggregateFunction = Max(value)

  /** A Bloom filter of at most as many hashes as Spark's runtime filters expect, and as many bits for each. */
  def bloomFilter(hash: Expression, hashes: Long): AggregateFunction = {
    val (usual, bits) = (
      SQLConf.get.getConf(SQLConf.RUNTIME_BLOOM_FILTER_EXPECTED_NUM_ITEMS),
      SQLConf.get.getConf(SQLConf.RUNTIME_BLOOM_FILTER_NUM_BITS)
    )
    val expected = math.max(1L, math.min(hashes, usual))
    val size = math.max(64L, (bits.toDouble * expected / usual).toLong)
    new BloomFilterAggregate(hash, Literal(expected), Literal(size))
  }

  /** The number of rows. */
  def count: AggregateFunction = Count(Literal(1L))
}
