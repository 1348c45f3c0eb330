package org.slidewise.spark.shims;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Creates DataFrames of logical plans. Written in Java, because Spark's method is private only to Scala code. */
public final class LogicalData {
  public static Dataset<Row> of(SparkSession session, LogicalPlan plan) {
    return Dataset.ofRows(session, plan);
  }

  private LogicalData() {}
}
