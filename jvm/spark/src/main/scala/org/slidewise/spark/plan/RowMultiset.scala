package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.types.DataType

import org.slidewise.spark.expressions.DistinctAggregate

/** A function of the distinct values of a frame and the number of rows that hold each, evaluated row by row. */
sealed trait RowMultiset extends Serializable

object RowMultiset {

  /**
   * An aggregate of distinct tuples.
   *
   * @param counted
   *   the values of `count(DISTINCT …)`, which leaves out tuples with a null; none for other functions
   */
  final case class Distinct(aggregate: DistinctAggregate, counted: Option[Seq[Expression]])
      extends RowMultiset

  /**
   * One or several quantiles.
   *
   * @param function
   *   Spark's function, which raises the errors of its inputs
   * @param value
   *   the expression of the values, of a type whose values fit a double or a long
   * @param frequency
   *   the number of times that the value of a row counts
   * @param percentage
   *   the fraction, or an array of fractions; foldable
   * @param descending
   *   whether fractions count from the greatest value
   * @param partials
   *   reads the values of partial aggregates
   */
  final case class Quantiles(
      function: TypedImperativeAggregate[_],
      method: QuantileMethod,
      value: Expression,
      frequency: Expression,
      percentage: Expression,
      descending: Boolean,
      partials: PartialValues
  ) extends RowMultiset {
    def resultType: DataType = function.dataType
  }

  /**
   * The most frequent value.
   *
   * @param greatest
   *   whether the greatest of several most frequent values is the result; otherwise the smallest
   * @param joinsZeros
   *   whether -0.0 and 0.0 are counted together
   */
  final case class Mode(value: Expression, greatest: Boolean, joinsZeros: Boolean) extends RowMultiset
}

/** Reads the values that a partial aggregate of quantiles holds. */
trait PartialValues extends Serializable {

  /**
   * Calls `change` with each value, encoded as a long of the same order, and the number of its occurrences.
   *
   * @return
   *   the most by which the rank of a value may exceed the rank that these calls imply; [[PartialValues.Unknown]] if the ranks are
   *   unknown
   */
  def foreach(buffer: Array[Byte])(change: (Long, Long) => Unit): Long
}

object PartialValues {
  val Unknown: Long = -1L
}
