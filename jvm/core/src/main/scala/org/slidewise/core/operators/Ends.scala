package org.slidewise.core.operators

import org.slidewise.core.Aggregator

/** The oldest element; null if there are none. Elements must not be null. */
final class First[A <: AnyRef] extends Aggregator[A, A, A] {
  override def selective: Boolean = true
  override def identity: A = null.asInstanceOf[A]
  override def lift(in: A): A = in
  override def combine(older: A, newer: A): A = if (older == null) newer else older
  override def lower(agg: A): A = agg
}

/** The newest element; null if there are none. Elements must not be null. */
final class Last[A <: AnyRef] extends Aggregator[A, A, A] {
  override def selective: Boolean = true
  override def identity: A = null.asInstanceOf[A]
  override def lift(in: A): A = in
  override def combine(older: A, newer: A): A = if (newer == null) older else newer
  override def lower(agg: A): A = agg
}
