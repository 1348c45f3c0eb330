package org.slidewise.sketches

import org.apache.datasketches.hll.{HllSketch, TgtHllType, Union}
import org.slidewise.core.Aggregator

/**
 * HyperLogLog sketch: the estimated number of distinct longs.
 *
 * @param lgK
 *   the logarithm of the number of registers, from 4 to 21; the relative error is about 1.04 / sqrt(2^lgK^)
 * @throws java.lang.IllegalArgumentException
 *   if `lgK` is out of range
 * @see
 *   Flajolet, Fusy, Gandouet, Meunier, "HyperLogLog: The Analysis of a Near-Optimal Cardinality Estimation Algorithm",
 *   2007
 */
final class HyperLogLog(lgK: Int) extends Aggregator[Long, HllSketch, Double] {
  if (lgK < 4 || lgK > 21) throw new IllegalArgumentException(s"lgK is $lgK: it must be from 4 to 21")

  override def commutative: Boolean = true
  override def stateBytes: Long = HllSketch.getMaxUpdatableSerializationBytes(lgK, TgtHllType.HLL_8).toLong
  override def identity: HllSketch = new HllSketch(lgK, TgtHllType.HLL_8)

  override def lift(in: Long): HllSketch = {
    val sketch = identity
    sketch.update(in)
    sketch
  }

  override def combine(older: HllSketch, newer: HllSketch): HllSketch = {
    val union = new Union(lgK)
    union.update(older)
    union.update(newer)
    union.getResult(TgtHllType.HLL_8)
  }

  override def lower(agg: HllSketch): Double = agg.getEstimate
}
