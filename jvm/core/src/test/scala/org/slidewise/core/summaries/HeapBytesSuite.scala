package org.slidewise.core.summaries

import munit.FunSuite

import org.slidewise.core.HeldBytes

/** `heapBytes` against the objects that a summary refers to, found by reflection. */
class HeapBytesSuite extends FunSuite {

  private val summaries: Seq[(String, () => WindowSummary)] = Seq(
    "AdditiveCount, few marks" -> (() => AdditiveCount.create(1L << 20, 0.01)),
    "AdditiveCount, many marks" -> (() => AdditiveCount.create(1L << 20, 1e-6)),
    "AdditiveSum of blocks" -> (() => AdditiveSum.create(1L << 20, 1000, 0.001)),
    "AdditiveSum of cells" -> (() => AdditiveSum.create(10000, 1000, 1e-6)),
    "AdditiveSum of real numbers" -> (() => AdditiveSum.createReal(10000, 12.5, 0.001)),
    "RangeSum" -> (() => RangeSum.create(10000, -1.0, 1.0, 0.001)),
    "ExactCount" -> (() => ExactCount.create(100001)),
    "ExactSum" -> (() => ExactSum.create(10001, 1000)),
    "DeterministicWave" -> (() => DeterministicWave.create(1L << 20, 100, 0.01)),
    "ExponentialHistogram" -> (() => ExponentialHistogram.create(1L << 20, 100, 0.01))
  )

  for ((name, create) <- summaries)
    test(s"$name: heapBytes includes every object, and not much more") {
      val summary = create()
      assertReported(summary)
      for (i <- 0 until 5000) summary match {
        case sum: SumSummary     => sum.insert(i % 10L)
        case count: CountSummary => count.insert(i % 3 == 0)
        case range: RangeSum     => range.insert(0.5)
        case other               => fail(s"no element for ${other.getClass}")
      }
      assertReported(summary)
    }

  private def assertReported(summary: WindowSummary): Unit = {
    val held = HeldBytes(summary)
    assert(summary.heapBytes >= held, s"${summary.heapBytes} reported, $held held")
    assert(summary.heapBytes <= held + held / 4 + 64, s"${summary.heapBytes} reported, $held held")
  }
}
