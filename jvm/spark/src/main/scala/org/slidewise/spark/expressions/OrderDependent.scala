package org.slidewise.spark.expressions

/** An aggregate function whose answer depends on the order of the rows, and so has one only over an ordered window. */
trait OrderDependent {

  /** Whether this call of it does. */
  def dependsOnOrder: Boolean = true

  /** What the user may do instead, for the message. */
  def withoutOrder: Option[String] = None

  def prettyName: String
}
