package org.slidewise.spark.execution.streams

/** What a `SlidingWindow` over a stream counts beside what every operator with a state does. */
private[streams] object StreamMetrics {
  val Combines = "combines"
  val Keys = "keysTouched"
  val Timeless = "rowsWithoutEventTime"
}
