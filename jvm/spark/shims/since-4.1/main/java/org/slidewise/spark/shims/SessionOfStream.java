package org.slidewise.spark.shims;

import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;

/**
 * The session that a streaming query clones from the user's and runs its batches in. The method is protected in Scala only, so that
 * this class is Java.
 */
public final class SessionOfStream {
  public static SparkSession of(StreamExecution query) {
    return query.sparkSessionForStream();
  }

  private SessionOfStream() {}
}
