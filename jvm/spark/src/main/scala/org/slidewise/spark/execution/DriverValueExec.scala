package org.slidewise.spark.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.LeafExecNode

/** One row with a value that the driver computes. No job runs for it, except those of subqueries in the value. */
case class DriverValueExec(value: Expression, result: Attribute) extends LeafExecNode {
  override def output: Seq[Attribute] = Seq(result)
  override def producedAttributes: AttributeSet = outputSet

  private def row: InternalRow =
    InterpretedUnsafeProjection.createProjection(Seq(value))(InternalRow.empty).copy()

  // Spark calls these where a query needs rows on the driver. By default they run a job.
  override def executeCollect(): Array[InternalRow] = executeQuery(Array(row))
  override def executeTake(most: Int): Array[InternalRow] = if (most > 0) executeCollect() else Array.empty
  override def executeTail(most: Int): Array[InternalRow] = executeTake(most)

  override protected def doExecute(): RDD[InternalRow] = sparkContext.parallelize(Seq(row), numSlices = 1)
}
