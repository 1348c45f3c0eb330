package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.NullIntolerant

/** An expression that is null if any of its children is. */
trait NullForNull extends NullIntolerant
