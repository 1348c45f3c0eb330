package org.slidewise.spark.expressions

/** A typed imperative aggregate whose merge leaves the newer state as it is, so that states need not be copied for it. */
trait ReadsNewerOnly
