package org.slidewise.spark.shims

import org.apache.spark.sql.execution.streaming

/** Spark's stream for tests. */
object MemoryStreams {
  type MemoryStream[A] = streaming.MemoryStream[A]
  val MemoryStream = streaming.MemoryStream
}
