package org.slidewise.bench

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._

/**
 * Elements a microsecond of a window that fills from nothing to `window` elements, with a query after each insertion, and
 * drains to nothing by evictions, again and again.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 7.2,
 *   Fig. 11
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
class DynamicWindowBenchmark {
  import DynamicWindowBenchmark.Elements

  @Param(Array("sum", "geomean", "bloom"))
  var operator: String = _

  @Param(Array("1", "32", "1024", "32768", "1048576"))
  var window: Int = _

  @Param(Array("two-stacks-lite", "daba-lite", "flatfit"))
  var algorithm: String = _

  private var subject: Subject = _
  private var next: Long = _
  private var filling: Boolean = _
  private var left: Int = _

  @Setup
  def make(): Unit = {
    subject = Subject(operator, algorithm, window)
    next = 1
    filling = true
  }

  /** Of each element, its insertion and its eviction: 2 Elements steps, from where the last call has left off. */
  @Benchmark
  @OperationsPerInvocation(Elements)
  def elements(): Double = {
    left = 2 * Elements
    var all = 0.0
    while (left > 0) {
      if (filling) all += fill() else drain()
      filling = if (filling) subject.size < window else subject.size == 0
    }
    all
  }

  private def fill(): Double = {
    val steps = math.min(left, window - subject.size)
    val until = next + steps
    var all = 0.0
    while (next < until) {
      subject.insert(next)
      all += subject.query()
      next += 1
    }
    left -= steps
    all
  }

  private def drain(): Unit = {
    val steps = math.min(left, subject.size)
    var i = 0
    while (i < steps) {
      subject.evict()
      i += 1
    }
    left -= steps
  }
}

object DynamicWindowBenchmark {
  final val Elements = 10000
}
