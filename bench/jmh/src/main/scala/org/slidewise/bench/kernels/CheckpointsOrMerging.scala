package org.slidewise.bench.kernels

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import org.slidewise.core.{Aggregator, SlidingAggregator}
import org.slidewise.core.batch.GreedySwa
import org.slidewise.core.incremental.ExtremeCheckpoints

/**
 * Rounds (evict, insert, query) a second of the maximum of `window` boxed longs in random order: by checkpoints, and by
 * merging with SWA.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class CheckpointsOrMerging {
  import CheckpointsOrMerging._

  @Param(Array("10", "1000", "100000"))
  var window: Int = _

  private var elements: Array[java.lang.Long] = _
  private var at = 0
  private var checkpoints: ExtremeCheckpoints[java.lang.Long] = _
  private var merging: GreedySwa[java.lang.Long, java.lang.Long, java.lang.Long] = _

  @Setup
  def fill(): Unit = {
    val random = new SplittableRandom(20)
    elements = Array.fill(1 << 20)(java.lang.Long.valueOf(random.nextLong()))
    checkpoints = ExtremeCheckpoints.max[java.lang.Long](Ordering.fromLessThan((a, b) => a < b))
    merging = new GreedySwa(Greatest)
    for (i <- 0 until window) {
      checkpoints.insert(elements(i))
      merging.insert(elements(i))
    }
    at = window
  }

  private def round[Out](aggregator: SlidingAggregator[java.lang.Long, Out]): Out = {
    aggregator.evict()
    aggregator.insert(elements(at & (elements.length - 1)))
    at += 1
    aggregator.query()
  }

  @Benchmark def byCheckpoints(): Option[java.lang.Long] = round(checkpoints)
  @Benchmark def byMerging(): java.lang.Long = round(merging)
}

object CheckpointsOrMerging {
  private object Greatest extends Aggregator[java.lang.Long, java.lang.Long, java.lang.Long] {
    def identity: java.lang.Long = Long.MinValue
    def lift(in: java.lang.Long): java.lang.Long = in
    def combine(older: java.lang.Long, newer: java.lang.Long): java.lang.Long =
      if (newer > older) newer else older
    def lower(agg: java.lang.Long): java.lang.Long = agg
  }
}
