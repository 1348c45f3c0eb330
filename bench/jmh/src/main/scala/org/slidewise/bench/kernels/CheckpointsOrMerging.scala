package org.slidewise.bench.kernels

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import org.slidewise.core.windows.WindowAlgorithm
import org.slidewise.core.{Aggregator, SlidingAggregator}
import org.slidewise.core.batch.GreedySwa
import org.slidewise.core.incremental.ExtremeCheckpoints

/**
 * Rounds (evict, insert, query) a second of the maximum of `window` boxed longs, by checkpoints and by merging with SWA or
 * Two-Stacks Lite: in random order, where which checkpoints go cannot be foreseen, in ascending order, where one is kept,
 * and in descending order, where all are.
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

  @Param(Array("random", "ascending", "descending"))
  var order: String = _

  private var elements: Array[java.lang.Long] = _
  private var at = 0
  private var checkpoints: ExtremeCheckpoints[java.lang.Long] = _
  private var swa: GreedySwa[java.lang.Long, java.lang.Long, java.lang.Long] = _
  private var twoStacksLite: SlidingAggregator[java.lang.Long, java.lang.Long] = _

  @Setup
  def fill(): Unit = {
    val random = new SplittableRandom(20)
    elements = Array.tabulate(Elements) { i =>
      java.lang.Long.valueOf(order match {
        case "random"     => random.nextLong()
        case "ascending"  => i.toLong
        case "descending" => -i.toLong
      })
    }
    checkpoints = ExtremeCheckpoints.max[java.lang.Long](Ordering.fromLessThan((a, b) => a < b))
    swa = new GreedySwa(Greatest)
    twoStacksLite = WindowAlgorithm.twoStacksLite.window(Greatest)
    for (i <- 0 until window) {
      checkpoints.insert(elements(i))
      swa.insert(elements(i))
      twoStacksLite.insert(elements(i))
    }
    at = window
  }

  private def round[Out](aggregator: SlidingAggregator[java.lang.Long, Out]): Out = {
    aggregator.evict()
    aggregator.insert(elements(at & (Elements - 1)))
    at += 1
    aggregator.query()
  }

  @Benchmark def byCheckpoints(): Option[java.lang.Long] = round(checkpoints)
  @Benchmark def bySwa(): java.lang.Long = round(swa)
  @Benchmark def byTwoStacksLite(): java.lang.Long = round(twoStacksLite)
}

object CheckpointsOrMerging {
  private final val Elements = 1 << 20

  private object Greatest extends Aggregator[java.lang.Long, java.lang.Long, java.lang.Long] {
    def identity: java.lang.Long = Long.MinValue
    def lift(in: java.lang.Long): java.lang.Long = in
    def combine(older: java.lang.Long, newer: java.lang.Long): java.lang.Long =
      if (newer > older) newer else older
    def lower(agg: java.lang.Long): java.lang.Long = agg
  }
}
