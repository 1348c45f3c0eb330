package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder, Unevaluable}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * Partitions that follow one another in an order. Unlike Spark's `RangePartitioning`, rows that tie may be in two neighbouring
 * partitions.
 *
 * @param numPartitions
 *   the maximum number of partitions
 */
final private[parallel] case class OrderedPartitioning(
    ordering: Seq[SortOrder],
    override val numPartitions: Int
) extends Expression
    with Partitioning
    with Unevaluable {

  override def children: Seq[SortOrder] = ordering
  override def nullable: Boolean = false
  override def dataType: DataType = IntegerType

  override def satisfies0(required: Distribution): Boolean = super.satisfies0(required) || (required match {
    case OrderedDistribution(wanted) =>
      wanted.size <= ordering.size && SortOrder.orderingSatisfies(ordering, wanted)
    case _ => false
  })

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Expression =
    copy(ordering = newChildren.map(_.asInstanceOf[SortOrder]))
}
