package org.slidewise.core.batch

import org.slidewise.core.Aggregator

/** Concatenation with counts of its calls: every mistake in order or grouping changes the result. */
final class CountingConcat extends Aggregator[Char, String, String] {
  var combines = 0
  var lifts = 0
  def identity: String = ""
  def lift(in: Char): String = { lifts += 1; in.toString }
  def lower(agg: String): String = agg
  override def combine(older: String, newer: String): String = { combines += 1; older + newer }
}
