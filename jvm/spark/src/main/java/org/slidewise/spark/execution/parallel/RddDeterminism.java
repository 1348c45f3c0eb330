package org.slidewise.spark.execution.parallel;

import org.apache.spark.rdd.RDD;

/**
 * The rows that a task returns when it runs again, compared with its first run. Written in Java
 * because Spark keeps its own levels private to its Scala packages.
 */
enum RddDeterminism {
  /** The task returns the same rows in the same order. */
  SAME_ORDER,
  /** The task returns the same rows in another order, as below a shuffle. */
  SAME_ROWS,
  /** The task may return other rows. */
  NONE;

  static RddDeterminism of(RDD<?> rdd) {
    switch (rdd.outputDeterministicLevel().toString()) {
      case "DETERMINATE":
        return SAME_ORDER;
      case "UNORDERED":
        return SAME_ROWS;
      default:
        return NONE;
    }
  }
}
