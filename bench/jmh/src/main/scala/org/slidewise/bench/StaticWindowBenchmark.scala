package org.slidewise.bench

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._
import org.slidewise.core.operators.Bloom
import org.slidewise.core.{DoubleWindow, LongWindow, Operators, SlidingAggregator, StateReader}

/**
 * Rounds of evict, insert and query on a window of a fixed size.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 7.1,
 *   Fig. 10
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
class StaticWindowBenchmark {
  import StaticWindowBenchmark.Rounds

  @Param(
    Array(
      "two-stacks-lite",
      "daba-lite",
      "two-stacks",
      "daba",
      "two-stacks-lite-chunked",
      "daba-lite-chunked",
      "flatfit",
      "flatfat",
      "fiba"
    )
  )
  var algorithm: String = _

  @Param(Array("1", "32", "1024", "32768", "1048576"))
  var window: Int = _

  private var sums: DoubleWindow = _
  private var means: DoubleWindow = _
  private var blooms: LongWindow = _
  private var next: Long = _
  private val firstWord: StateReader[Array[Long], Long] = (cells, at) => cells(at)

  @Setup
  def fill(): Unit = {
    sums = Algorithms.byKey(algorithm, window).window(Operators.sum)
    means = Algorithms.byKey(algorithm, window).window(Operators.geometricMean)
    blooms = Algorithms.byKey(algorithm, window).window(new Bloom(4096, 4))
    next = 1
  }

  private def fillOnce(window: SlidingAggregator[_, _])(insert: Long => Unit): Unit =
    while (window.size < this.window) {
      insert(next)
      next += 1
    }

  @Benchmark
  @OperationsPerInvocation(Rounds)
  def sum(): Double = {
    fillOnce(sums)(i => sums.insert(i.toDouble))
    rounds(sums)
  }

  @Benchmark
  @OperationsPerInvocation(Rounds)
  def geomean(): Double = {
    fillOnce(means)(i => means.insert(i.toDouble))
    rounds(means)
  }

  @Benchmark
  @OperationsPerInvocation(Rounds)
  def bloom(): Long = {
    fillOnce(blooms)(i => blooms.insert(i))
    var all = 0L
    var i = 0
    while (i < Rounds) {
      blooms.evict()
      blooms.insert(next)
      all += blooms.query(firstWord)
      next += 1
      i += 1
    }
    all
  }

  private def rounds(window: DoubleWindow): Double = {
    var all = 0.0
    var i = 0
    while (i < Rounds) {
      window.evict()
      window.insert((next & 1023) + 1.0)
      all += window.query()
      next += 1
      i += 1
    }
    all
  }
}

object StaticWindowBenchmark {
  final val Rounds = 10000
}
