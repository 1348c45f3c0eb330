package org.slidewise.spark.execution.parallel

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.LeafExecNode

/**
 * Reads the rows that an exchange has written for one window again, for a window with another order. Returns them run by run,
 * unsorted.
 */
private[parallel] case class RunRowsExec(output: Seq[Attribute], runs: RunsExchangeExec)
    extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] = runs.rowsByRun
}
