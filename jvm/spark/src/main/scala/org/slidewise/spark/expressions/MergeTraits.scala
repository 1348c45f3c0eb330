package org.slidewise.spark.expressions

/**
 * An aggregate that promises an error, and whose merged states may answer otherwise than a state built row by row, within that
 * error.
 */
trait ApproximateAggregate

/** An imperative aggregate whose aggregation buffer is a few fields of fixed size, as that of a declarative aggregate. */
trait FixedSizeBuffer

/** A typed imperative aggregate whose `merge` does not change its second argument, so that no copy of it is needed. */
trait NonMutatingMerge
