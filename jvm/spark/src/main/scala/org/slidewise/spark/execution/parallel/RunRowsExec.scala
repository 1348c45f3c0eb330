package org.slidewise.spark.execution.parallel

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.LeafExecNode

/** The rows that an exchange has written for one window, for another window with another order: run by run, in no order. */
private[parallel] case class RunRowsExec(output: Seq[Attribute], runs: RunsExchangeExec)
    extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] = runs.rowsByRun
}
