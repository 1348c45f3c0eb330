package org.slidewise.core.operators

import org.slidewise.core.Aggregator

/**
 * The first, last, lowest and highest point of a window, which suffice to draw a line chart's column of pixels.
 *
 * First and last are by arrival. The oldest of equally low or high points. All four are null for a window without points.
 */
final case class M4(first: M4.Point, last: M4.Point, lowest: M4.Point, highest: M4.Point)

object M4 {

  final case class Point(time: Long, value: Double)

  /**
   * @see
   *   Jugel, Jerzak, Hackenbroich, Markl, "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014
   */
  object Operator extends Aggregator[Point, M4, M4] {
    override def stateBytes: Long = 4L * 32 + 32
    override val identity: M4 = M4(null, null, null, null)
    override def lift(in: Point): M4 = M4(in, in, in, in)
    override def lower(agg: M4): M4 = agg

    override def combine(older: M4, newer: M4): M4 =
      if (older.first == null) newer
      else if (newer.first == null) older
      else
        M4(
          older.first,
          newer.last,
          if (Extremes.greater(older.lowest.value, newer.lowest.value)) newer.lowest else older.lowest,
          if (Extremes.greater(newer.highest.value, older.highest.value)) newer.highest else older.highest
        )
  }
}
