package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Average, Count, Sum}

import org.slidewise.spark.expressions.{DistinctAggregate, DistinctRows, GroupingKeys, GuardedCondition}
import org.slidewise.spark.plan._
import org.slidewise.spark.plan.MultisetFunction._

/** Aggregates of distinct tuples. */
private[families] object DistinctAggregates extends FunctionFamily {
  import ArrayInputs._

  override def describe: PartialFunction[Expression, FunctionDescription] = { case f: DistinctAggregate =>
    OfDistinct(f)
  }

  final private case class OfDistinct(function: DistinctAggregate) extends InMultisets {
    override def merging: Merging = Merging.HoldsRows
    override def dependsOnOrder: Boolean = false

    // Of equal values that differ in their bytes, the function reads the first.
    override def orderSensitivity: OrderSensitivity = function.function match {
      case _: Count => OrderSensitivity.NONE
      case _ if function.arguments.forall(a => DistinctRows.hasEqualBytes(a.dataType)) =>
        Families.of(function.function).orderSensitivity
      case _ => OrderSensitivity.VALUE
    }

    override def inGroups: Expression = Families.of(function.function).inGroups match {
      case inner: AggregateFunction => function.copy(function = inner)
      case _                        => function
    }

    // Equal values may differ in their bytes: maps, and strings with a collation. A multiset knows the first of them, but not which
    // of them remain once the first leaves the frame.
    override def multiset: Option[RowMultiset] = function.function match {
      case Count(values) => Some(RowMultiset.Distinct(function, Some(values)))
      case _ if function.arguments.forall(a => DistinctRows.hasEqualBytes(a.dataType)) =>
        Some(RowMultiset.Distinct(function, None))
      case _ => None
    }

    override protected def kernel(filter: Option[Expression]): Option[(MultisetFunction, Expression)] =
      function.function match {
        case Count(values)                            => Some((DistinctCount, counted(values, filter)))
        case sum @ Sum(value, _) if isIntegral(value) =>
          Some((DistinctLongSum(Sums.checked(sum)), filtered(long(value), filter)))
        case Sum(value, _) if isFloating(value) =>
          Some((DistinctDoubleSum, filtered(double(value), filter)))
        case Average(value, _) if isIntegral(value) =>
          Some((DistinctLongMean, filtered(long(value), filter)))
        case Average(value, _) if isFloating(value) =>
          Some((DistinctDoubleMean, filtered(double(value), filter)))
        case _ => None
      }
  }

  /** A different value for each distinct tuple of `values`; null if one of them is null or `filter` is not true. */
  private def counted(values: Seq[Expression], filter: Option[Expression]): Expression =
    values match {
      case Seq(value) if isFloating(value)       => filtered(double(value), filter)
      case Seq(value) if isWhole(value.dataType) => filtered(long(value), filter)
      case _                                     =>
        val noNull = noneNull(values)
        val keys = values.map(value => DistinctRows.keyOf(GroupingKeys.normalized(value)))
        DictionaryCode(keys, filter.fold(noNull)(f => And(GuardedCondition(f), noNull)))
    }
}
