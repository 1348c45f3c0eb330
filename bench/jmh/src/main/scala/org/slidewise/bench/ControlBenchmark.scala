package org.slidewise.bench

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._

/**
 * Steps a microsecond of arithmetic in which each operation waits for the one before it, and that touches no memory: six
 * cycles a step. How fast the machine was while the other benchmarks ran.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
class ControlBenchmark {
  private var seed = 88172645463325252L

  @Benchmark
  @OperationsPerInvocation(10000)
  def steps(): Long = {
    var x = seed
    var i = 0
    while (i < 10000) {
      x ^= x << 13
      x ^= x >>> 7
      x ^= x << 17
      i += 1
    }
    seed = x
    x
  }
}
