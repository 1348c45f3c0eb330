package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarToRowExec, RowToColumnarExec, SparkPlan}

import org.slidewise.spark.execution.BatchesOut
import org.slidewise.spark.execution.exchange.BatchesIn

/**
 * Lets operators return columnar batches ([[BatchesOut]]) and read the batches below them ([[BatchesIn]]), where Spark would convert
 * batches to rows only for these operators.
 */
private[planning] object ColumnarBatches extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    // Spark has planned a conversion from batches to rows and back.
    case RowToColumnarExec(ColumnarToRowExec(operator: BatchesOut)) => operator
    case operator                                                   => handedOut(read(operator))
  }

  private def read(operator: SparkPlan): SparkPlan = operator match {
    case reader: BatchesIn => reader.overBatches
    case other             => other
  }

  private def handedOut(operator: SparkPlan): SparkPlan = operator match {
    case giver: BatchesOut => giver.inBatches
    case other             => other
  }
}
