package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.Percentile
import org.apache.spark.sql.types.DoubleType

/** How the running Spark interpolates percentiles. Spark 4.3 changed it, and a patch release may do so as well. */
private[planning] object PercentileArithmetic {

  /** Whether Spark adds a share of the difference of two values to the first, so that the share of an infinity is NaN. */
  lazy val byDifference: Boolean = {
    val median = new Percentile(BoundReference(0, DoubleType, nullable = false), Literal(0.5))
    val buffer = Seq(Double.NegativeInfinity, 0.0).foldLeft(median.createAggregationBuffer()) {
      (buffer, value) => median.update(buffer, InternalRow(value))
    }
    median.eval(buffer).asInstanceOf[Double].isNaN
  }
}
