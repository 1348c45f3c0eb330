package org.slidewise.bench

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._

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

  @Param(Array("sum", "geomean", "bloom"))
  var operator: String = _

  @Param(Array("1", "32", "1024", "32768", "1048576"))
  var window: Int = _

  @Param(Array("two-stacks-lite", "daba-lite", "two-stacks-lite-sized", "daba-lite-sized"))
  var algorithm: String = _

  private var subject: Subject = _
  private var next: Long = _

  @Setup
  def make(): Unit = {
    subject = Subject(operator, algorithm, window)
    next = 1
  }

  @Benchmark
  @OperationsPerInvocation(Rounds)
  def rounds(): Double = {
    val window = subject
    var i = next
    while (window.size < this.window) {
      window.insert(i)
      i += 1
    }
    val until = i + Rounds
    var all = 0.0
    while (i < until) {
      window.evict()
      window.insert(i)
      all += window.query()
      i += 1
    }
    next = i
    all
  }
}

object StaticWindowBenchmark {
  final val Rounds = 10000
}
