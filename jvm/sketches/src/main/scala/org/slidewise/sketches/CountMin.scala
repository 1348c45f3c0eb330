package org.slidewise.sketches

import org.apache.spark.util.sketch.CountMinSketch
import org.slidewise.core.Aggregator

/**
 * Count-Min sketch: the number of occurrences of each long. With probability 1 - 2^-depth^, the overestimate is at most
 * 2 / `width` of the number of elements.
 *
 * @param depth
 *   the number of hashes, 1 or more
 * @param width
 *   the number of counters of each hash, 1 or more
 * @throws java.lang.IllegalArgumentException
 *   if `depth` or `width` is out of range
 * @see
 *   Cormode, Muthukrishnan, "An Improved Data Stream Summary: The Count-Min Sketch and Its Applications", 2005
 */
final class CountMin(depth: Int, width: Int) extends Aggregator[Long, CountMinSketch, CountMinSketch] {
  if (depth < 1) throw new IllegalArgumentException(s"depth is $depth: it must be 1 or more")
  if (width < 1) throw new IllegalArgumentException(s"width is $width: it must be 1 or more")

  override def commutative: Boolean = true
  override def stateBytes: Long = 8L * depth * width + 8L * depth + 64
  override def identity: CountMinSketch = CountMinSketch.create(depth, width, CountMin.Seed)

  override def lift(in: Long): CountMinSketch = {
    val sketch = identity
    sketch.addLong(in)
    sketch
  }

  override def combine(older: CountMinSketch, newer: CountMinSketch): CountMinSketch =
    identity.mergeInPlace(older).mergeInPlace(newer)

  override def lower(agg: CountMinSketch): CountMinSketch = agg
}

object CountMin {
  private final val Seed = 9001
}
