package org.slidewise.spark.shims

import org.apache.spark.sql.execution.streaming.runtime

/** Spark's stream for tests, which has moved to another package in 4.1. */
object MemoryStreams {
  type MemoryStream[A] = runtime.MemoryStream[A]
  val MemoryStream = runtime.MemoryStream
}
