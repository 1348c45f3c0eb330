package org.slidewise.spark.execution.streams

/** How the planner of Spark 4.3 is asked for state and watermarks. */
private[streams] object SparkStateAssignment extends DeduplicationProbe
