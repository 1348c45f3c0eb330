package org.slidewise.spark.shims;

import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;

/**
 * The session that a streaming query clones from the user's session, and in which it runs its batches. Written in Java, because
 * Spark's method is protected only from Scala code.
 */
public final class SessionOfStream {
  public static SparkSession of(StreamExecution query) {
    return query.sparkSessionForStream();
  }

  private SessionOfStream() {}
}
