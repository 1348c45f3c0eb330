package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, Unevaluable}
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * A function of the distinct values of a frame and the number of rows that hold each. Kernels of `org.slidewise.core.multisets`
 * evaluate it.
 *
 * @param readsOrder
 *   whether the order of the values matters
 * @param partsZeros
 *   whether -0.0 and 0.0 are two values
 */
sealed abstract class MultisetFunction(val readsOrder: Boolean, val partsZeros: Boolean = false)
    extends Serializable

object MultisetFunction {

  /** `count(DISTINCT …)`. */
  case object DistinctCount extends MultisetFunction(readsOrder = false)

  /**
   * `sum(DISTINCT …)` of longs.
   *
   * @param checked
   *   the function that raises the error or returns null if the sum overflows 64 bits; none if sums wrap around
   */
  final case class DistinctLongSum(checked: Option[DeclarativeAggregate])
      extends MultisetFunction(readsOrder = false)

  /** `avg(DISTINCT …)` of longs, as a double. */
  case object DistinctLongMean extends MultisetFunction(readsOrder = false)

  /** `sum(DISTINCT …)` of doubles. */
  case object DistinctDoubleSum extends MultisetFunction(readsOrder = false)

  /** `avg(DISTINCT …)` of doubles. */
  case object DistinctDoubleMean extends MultisetFunction(readsOrder = false)

  /**
   * One quantile.
   *
   * @param fraction
   *   the fraction, from 0 to 1
   * @param descending
   *   whether values are counted from the greatest
   * @param scale
   *   the scale of decimals, whose unscaled values are read; 0 for other numbers
   */
  final case class Quantile(method: QuantileMethod, fraction: Double, descending: Boolean, scale: Int)
      extends MultisetFunction(readsOrder = true, partsZeros = true)

  /**
   * The most frequent value.
   *
   * @param greatest
   *   whether the greatest of several most frequent values is the result; otherwise the smallest
   * @param joinsZeros
   *   whether -0.0 and 0.0 are counted together
   */
  final case class Mode(greatest: Boolean, joinsZeros: Boolean)
      extends MultisetFunction(readsOrder = true, partsZeros = !joinsZeros)
}

/**
 * A placeholder for the code of a tuple of values in a dictionary of the task. Tuples with equal bytes have equal codes.
 * `ColumnReader` looks up the code when it reads the columns of a row.
 *
 * @param counted
 *   a condition; where it is not true, the result is null and the values are not evaluated
 */
final case class DictionaryCode(values: Seq[Expression], counted: Expression)
    extends Expression
    with Unevaluable {
  override def children: Seq[Expression] = counted +: values
  override def dataType: DataType = LongType
  override def nullable: Boolean = true
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): DictionaryCode =
    DictionaryCode(newChildren.tail, newChildren.head)
}
