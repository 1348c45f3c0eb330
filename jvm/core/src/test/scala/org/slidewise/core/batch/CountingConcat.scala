package org.slidewise.core.batch

import org.slidewise.core.Aggregator

/** Concatenation, which tells every order and every grouping mistake apart, and counts what is asked of it. */
final class CountingConcat extends Aggregator[Char, String, String] {
  var combines = 0
  var lifts = 0
  def identity: String = ""
  def lift(in: Char): String = { lifts += 1; in.toString }
  def lower(agg: String): String = agg
  override def combine(older: String, newer: String): String = { combines += 1; older + newer }
}
