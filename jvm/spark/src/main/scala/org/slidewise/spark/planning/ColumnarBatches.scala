package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarToRowExec, RowToColumnarExec, SparkPlan}

import org.slidewise.spark.execution.BatchesOut
import org.slidewise.spark.execution.exchange.BatchesIn

/**
 * Has operators hand out batches of columns, and others read those below them, where Spark would make rows of these only for them.
 */
private[planning] object ColumnarBatches extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    // Spark makes batches of rows that it has made of batches.
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
