package org.slidewise.core.algorithms

import munit.FunSuite
import org.slidewise.core.windows.WindowAlgorithm
import org.slidewise.core.operators.{Concatenation, LongSum}

class SizedSuite extends FunSuite {
  private val queues =
    Seq(
      WindowAlgorithm.recalculation,
      WindowAlgorithm.twoStacks,
      WindowAlgorithm.twoStacksLite,
      WindowAlgorithm.daba,
      WindowAlgorithm.dabaLite
    )

  queues.foreach { algorithm =>
    test(s"$algorithm, sized: no state moves up to that size, and windows still grow past it") {
      val window = algorithm.sized(100).window(LongSum)
      val cells = window.query((cells, _) => cells)
      (0 until 128).foreach(i => window.insert(i.toLong))
      window.evict(128)
      (0 until 50).foreach(i => window.insert(i.toLong))
      assert(window.query((now, _) => now eq cells))
      (0 until 200).foreach(i => window.insert(i.toLong))
      assertEquals(window.query(), (0L until 50L).sum + (0L until 200L).sum)
    }

    test(s"$algorithm, sized: a window that has shrunk again keeps its elements") {
      val window = algorithm.sized(32).window(new Concatenation[Int])
      (0 until 500).foreach(window.insert)
      window.evict(495)
      (500 until 510).foreach(window.insert)
      assertEquals(window.query(), (495 until 510).toVector)
    }
  }

  test("a size out of range is refused") {
    Seq(0, -1, (1 << 30) + 1).foreach { elements =>
      val e = intercept[IllegalArgumentException](WindowAlgorithm.daba.sized(elements))
      assert(e.getMessage.contains(s"elements is $elements"), e.getMessage)
    }
  }
}
