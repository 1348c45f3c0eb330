package org.slidewise.spark.expressions

/** An imperative aggregate whose state is a few values in fields of their own, as that of a declarative one. */
trait SmallState
