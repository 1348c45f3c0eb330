package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.{Mode, Percentile, TypedImperativeAggregate}
import org.apache.spark.sql.types.DoubleType

/** Tests how functions of the running Spark treat corner cases. Minors differ, and a patch release may. */
private[spark] object SparkProbes {
  private val column = BoundReference(0, DoubleType, nullable = false)

  /**
   * Whether `percentile` adds a share of the difference of two values to the first value, as since 4.3. The share of an infinity
   * is then NaN. Otherwise, `percentile` weights both values.
   */
  lazy val percentileByDifference: Boolean =
    evaluate(new Percentile(column, Literal(0.5)), Seq(Double.NegativeInfinity, 0.0)).isNaN

  /** Whether `mode` counts -0.0 and 0.0 together: since 4.2. */
  lazy val modeJoinsZeros: Boolean =
    evaluate(new Mode(column), Seq(-0.0, 0.0, -0.0, 0.0, 1.0, 1.0, 1.0)) == 0.0

  private def evaluate[T](function: TypedImperativeAggregate[T], values: Seq[Double]): Double = {
    val buffer = values.foldLeft(function.createAggregationBuffer()) { (buffer, value) =>
      function.update(buffer, InternalRow(value))
    }
    function.eval(buffer).asInstanceOf[Double]
  }
}
