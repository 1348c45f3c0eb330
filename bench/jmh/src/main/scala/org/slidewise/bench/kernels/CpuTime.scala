package org.slidewise.bench.kernels

import java.lang.management.ManagementFactory
import java.util.{Collection => JavaCollection, Collections}

import com.sun.management.OperatingSystemMXBean
import org.openjdk.jmh.infra.{BenchmarkParams, IterationParams}
import org.openjdk.jmh.profile.InternalProfiler
import org.openjdk.jmh.results.{AggregationPolicy, IterationResult, Result, ScalarResult}

/**
 * Operations a second of processor time, which other work on the machine disturbs less than those a second of the clock. Use
 * as `-prof org.slidewise.bench.kernels.CpuTime`; the figure counts all threads of the process.
 */
final class CpuTime extends InternalProfiler {
  private val system = ManagementFactory.getOperatingSystemMXBean.asInstanceOf[OperatingSystemMXBean]
  private var before = 0L

  def getDescription: String = "Operations a second of processor time"

  def beforeIteration(benchmark: BenchmarkParams, iteration: IterationParams): Unit =
    before = system.getProcessCpuTime

  def afterIteration(
      benchmark: BenchmarkParams,
      iteration: IterationParams,
      result: IterationResult
  ): JavaCollection[_ <: Result[_]] = {
    val seconds = (system.getProcessCpuTime - before) / 1e9
    val operations = result.getMetadata.getAllOps / seconds
    Collections.singletonList(new ScalarResult("cpu", operations, "ops/s", AggregationPolicy.MAX))
  }
}
