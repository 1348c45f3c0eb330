package org.slidewise.spark.shims;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** DataFrames of logical plans. Spark's method is private in Scala only, so that this class is Java. */
public final class LogicalData {
  public static Dataset<Row> of(SparkSession session, LogicalPlan plan) {
    return Dataset.ofRows(session, plan);
  }

  private LogicalData() {}
}
