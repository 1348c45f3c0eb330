package org.slidewise.bench.kernels

import java.lang.management.ManagementFactory
import java.util.{Collection => JavaCollection, Collections}

import org.openjdk.jmh.infra.{BenchmarkParams, IterationParams}
import org.openjdk.jmh.profile.InternalProfiler
import org.openjdk.jmh.results.{AggregationPolicy, IterationResult, Result, ScalarResult}

/**
 * Operations a second of processor time, which other work on the machine disturbs less than those a second of the clock. Use
 * as `-prof org.slidewise.bench.kernels.CpuTime`; the figure counts the program's threads, and not those of the JVM that
 * compile and collect.
 */
final class CpuTime extends InternalProfiler {
  private val threads = ManagementFactory.getThreadMXBean
  private var before = 0L

  def getDescription: String = "Operations a second of processor time"

  def beforeIteration(benchmark: BenchmarkParams, iteration: IterationParams): Unit =
    before = nanoseconds

  def afterIteration(
      benchmark: BenchmarkParams,
      iteration: IterationParams,
      result: IterationResult
  ): JavaCollection[_ <: Result[_]] = {
    val seconds = (nanoseconds - before) / 1e9
    val operations = result.getMetadata.getAllOps / seconds
    Collections.singletonList(new ScalarResult("cpu", operations, "ops/s", AggregationPolicy.MAX))
  }

  // A thread that has ended says -1.
  private def nanoseconds: Long =
    threads.getAllThreadIds.map(id => math.max(threads.getThreadCpuTime(id), 0L)).sum
}
