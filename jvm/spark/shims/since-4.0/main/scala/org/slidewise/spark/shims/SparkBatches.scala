package org.slidewise.spark.shims

import org.apache.spark.sql.vectorized.ColumnarBatch

object SparkBatches {

  /** Frees the memory of a batch that no operator reads again, if this Spark version can. */
  def free(batch: ColumnarBatch): Unit = batch.closeIfFreeable()
}
