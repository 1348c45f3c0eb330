package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateFunction,
  ApproximatePercentile,
  PercentileBase
}
import org.apache.spark.sql.types.Decimal

import org.slidewise.core.multisets.OrderedDoubles
import org.slidewise.spark.execution.task.HeapMemory

/**
 * Quantiles of a frame of partial aggregates: the values of a buffer are added when it enters the frame, and removed when it leaves
 * it. Cost and memory are those of [[Quantiles]], for each value of a buffer.
 */
abstract private class PartialQuantiles(quantiles: Quantiles) extends FrameMultiset {
  private[this] val entering: (Long, Long) => Unit = quantiles.add
  private[this] val leaving: (Long, Long) => Unit = quantiles.remove

  /**
   * Calls `change` with each value of an element's buffer, and how often it is there.
   *
   * @return
   *   by how much the ranks of values may be greater than these say
   */
  protected def foreach(element: InternalRow)(change: (Long, Long) => Unit): Long

  override def add(element: InternalRow): Unit = quantiles.changeUncertainty(foreach(element)(entering))
  override def remove(element: InternalRow): Unit = quantiles.changeUncertainty(-foreach(element)(leaving))
  override def result: Any = quantiles.result
  override def clear(): Unit = quantiles.clear()
  override def restart(): Unit = quantiles.restart()
}

private[execution] object PartialQuantiles {

  /**
   * Those of a function that the planner evaluates by multisets.
   *
   * @param function
   *   whose buffers the elements hold
   * @param field
   *   the place of the buffer in an element
   */
  def of(function: AggregateFunction, field: Int, memory: HeapMemory): FrameMultiset = function match {
    case exact: PercentileBase              => new OfValues(exact, field, memory)
    case approximate: ApproximatePercentile => new OfSummaries(approximate, field, memory)
    case other => throw new IllegalArgumentException(s"${other.prettyName} is no quantile")
  }

  /** The buffer counts each value. */
  final private class OfValues(function: PercentileBase, field: Int, memory: HeapMemory)
      extends PartialQuantiles(Quantiles.of(function, memory)) {

    override protected def foreach(element: InternalRow)(change: (Long, Long) => Unit): Long = {
      function.deserialize(element.getBinary(field)).foreach { case (value, times) =>
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
   * The buffer is a summary of samples, each of which stands for `g` values, and up to `delta` more values may precede it. Where
   * all are exact, the result is. Otherwise `g + delta` is at most 2εn in a summary of n values, and the result's rank at most εn
   * off, summed over the summaries of the frame, which is the error that the function allows.
   *
   * A summary does not know the place of NaN among its samples. Frames are recalculated then.
   *
   * Source: Greenwald and Khanna, Space-Efficient Online Computation of Quantile Summaries, SIGMOD 2001.
   */
  final private class OfSummaries(function: ApproximatePercentile, field: Int, memory: HeapMemory)
      extends PartialQuantiles(Quantiles.of(function, memory)) {

    override protected def foreach(element: InternalRow)(change: (Long, Long) => Unit): Long = {
      val samples = function.deserialize(element.getBinary(field)).quantileSummaries.sampled
      var widest = 1L
      var i = 0
      while (i < samples.length) {
        if (samples(i).value.isNaN) throw NoMultiset
        change(OrderedDoubles.toSignedLong(samples(i).value), samples(i).g)
        widest = math.max(widest, samples(i).g + samples(i).delta)
        i += 1
      }
      widest - 1
    }
  }
}
