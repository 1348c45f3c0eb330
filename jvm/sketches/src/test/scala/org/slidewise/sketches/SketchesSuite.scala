package org.slidewise.sketches

import munit.FunSuite
import org.slidewise.core.windows.WindowAlgorithm

class SketchesSuite extends FunSuite {

  WindowAlgorithm.all.foreach { algorithm =>
    test(s"$algorithm: HyperLogLog counts the distinct elements of the window alone") {
      val window = algorithm.window(new HyperLogLog(12))
      (0 until 300).foreach { i =>
        if (window.size == 200) window.evict()
        window.insert((i / 2).toLong)
      }
      assertEqualsDouble(window.query(), 100.0, 3.0)
    }

    test(s"$algorithm: Count-Min never counts too few, and forgets what has left") {
      val window = algorithm.window(new CountMin(4, 256))
      (0 until 300).foreach { i =>
        if (window.size == 60) window.evict()
        window.insert(if (i < 240) 7L else (i % 6).toLong)
      }
      val sketch = window.query()
      (0L until 6L).foreach(i => assert(sketch.estimateCount(i) >= 10L))
      assert(sketch.estimateCount(7L) < 10L)
      assertEquals(sketch.totalCount, 60L)
    }
  }

  test("merging is associative and the empty sketch neutral") {
    val hll = new HyperLogLog(10)
    val (a, b, c) = (hll.lift(1L), hll.lift(2L), hll.lift(3L))
    assertEquals(
      hll.lower(hll.combine(a, hll.combine(b, c))),
      hll.lower(hll.combine(hll.combine(a, b), c))
    )
    assertEquals(hll.lower(hll.combine(hll.identity, a)), hll.lower(a))
    val counts = new CountMin(3, 64)
    val both = counts.combine(counts.combine(counts.identity, counts.lift(5L)), counts.lift(5L))
    assertEquals(both.estimateCount(5L), 2L)
  }

  test("parameters out of range are refused") {
    assert(intercept[IllegalArgumentException](new HyperLogLog(3)).getMessage.contains("lgK is 3"))
    assert(intercept[IllegalArgumentException](new CountMin(0, 10)).getMessage.contains("depth is 0"))
    assert(intercept[IllegalArgumentException](new CountMin(3, 0)).getMessage.contains("width is 0"))
  }
}
