package org.slidewise.core.operators

import org.slidewise.core.Aggregator

/**
 * The first, last, lowest and highest of points, which suffice to draw a line chart's column of pixels. First and last go by time,
 * whatever the order of arrival.
 *
 * Of points at the same time, the first is the lowest and the last is the highest. Of equally low or high points, the
 * earliest counts. All four are null for a window without points.
 */
final case class M4(first: M4.Point, last: M4.Point, lowest: M4.Point, highest: M4.Point)

object M4 {

  /** Equal values are equal bits: NaN equals NaN, and -0.0 is less than 0.0. */
  final case class Point(time: Long, value: Double) {
    override def equals(other: Any): Boolean = other match {
      case Point(t, v) => time == t && java.lang.Double.compare(value, v) == 0
      case _           => false
    }
    override def hashCode: Int = 31 * java.lang.Long.hashCode(time) + java.lang.Double.hashCode(value)
  }

  /**
   * @see
   *   Jugel, Jerzak, Hackenbroich, Markl, "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014
   */
  object Operator extends Aggregator[Point, M4, M4] {
    override def commutative: Boolean = true
    override def stateBytes: Long = 4L * 32 + 32
    override val identity: M4 = M4(null, null, null, null)
    override def lift(in: Point): M4 = M4(in, in, in, in)
    override def lower(agg: M4): M4 = agg

    override def combine(older: M4, newer: M4): M4 =
      if (older.first == null) newer
      else if (newer.first == null) older
      else
        M4(
          if (isBefore(newer.first, older.first)) newer.first else older.first,
          if (isBefore(older.last, newer.last)) newer.last else older.last,
          if (isLower(newer.lowest, older.lowest)) newer.lowest else older.lowest,
          if (isHigher(newer.highest, older.highest)) newer.highest else older.highest
        )

    private def isBefore(a: Point, b: Point) =
      a.time < b.time || (a.time == b.time && Extremes.greater(b.value, a.value))

    private def isLower(a: Point, b: Point) =
      Extremes.greater(b.value, a.value) || (a.time < b.time && !Extremes.greater(a.value, b.value))

    private def isHigher(a: Point, b: Point) =
      Extremes.greater(a.value, b.value) || (a.time < b.time && !Extremes.greater(b.value, a.value))
  }
}
