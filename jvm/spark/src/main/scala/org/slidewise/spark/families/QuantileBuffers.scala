package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.aggregate.{ApproximatePercentile, PercentileBase}
import org.apache.spark.sql.types.Decimal

import org.slidewise.core.multisets.OrderedDoubles
import org.slidewise.spark.plan.PartialValues

/** Reads the buffers of exact percentiles, which count the occurrences of each value. */
final private[families] class CountedValues(function: PercentileBase) extends PartialValues {
  override def foreach(buffer: Array[Byte])(change: (Long, Long) => Unit): Long = {
    function.deserialize(buffer).foreach { case (value, times) =>
      if (times > 0L) change(encoded(value), times)
    }
    0L
  }

  private def encoded(value: AnyRef): Long = value match {
    case double: java.lang.Double => OrderedDoubles.toSignedLong(double)
    case float: java.lang.Float   => OrderedDoubles.toSignedLong(float.toDouble)
    case decimal: Decimal         => decimal.toUnscaledLong
    case whole                    => whole.asInstanceOf[Number].longValue
  }
}

/**
 * Reads the buffers of `percentile_approx`, which are summaries of samples. Each sample stands for `g` values, and up to `delta`
 * more values may precede it. If all samples are exact, the result is exact. Otherwise, `g + delta` is at most 2εn in a summary of n
 * values. The rank of the result is then off by at most the sum of εn over the summaries of the frame, which the function allows.
 *
 * A summary does not know where NaN sorts among its samples.
 *
 * Source: Greenwald and Khanna, Space-Efficient Online Computation of Quantile Summaries, SIGMOD 2001.
 */
final private[families] class SampledValues(function: ApproximatePercentile) extends PartialValues {
  override def foreach(buffer: Array[Byte])(change: (Long, Long) => Unit): Long = {
    val samples = function.deserialize(buffer).quantileSummaries.sampled
    var widest = 1L
    var i = 0
    while (i < samples.length && !samples(i).value.isNaN) {
      change(OrderedDoubles.toSignedLong(samples(i).value), samples(i).g)
      widest = math.max(widest, samples(i).g + samples(i).delta)
      i += 1
    }
    if (i < samples.length) PartialValues.Unknown else widest - 1
  }
}
