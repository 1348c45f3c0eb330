package org.slidewise.core.operators

import munit.FunSuite
import org.slidewise.core.windows.WindowAlgorithm
import scala.util.Random

class BloomSuite extends FunSuite {
  private val bloom = new Bloom(4096, 4)

  test("finds all elements of the window, whatever its size, and few others") {
    val random = new Random(1)
    for (size <- Seq(0, 1, 2, 3, 100)) {
      val window = WindowAlgorithm.twoStacksLite.window(bloom)
      val elements = IndexedSeq.fill(size + 50)(random.nextLong())
      elements.zipWithIndex.foreach { case (e, i) =>
        window.insert(e)
        if (window.size > size) window.evict()
        val inside = elements.slice(i + 1 - window.size, i + 1)
        assert(inside.forall(e => window.query(bloom.mightContain(e, _, _))), s"$size")
      }
      val found = (0 until 1000).count(_ => window.query(bloom.mightContain(random.nextLong(), _, _)))
      assert(found <= (if (size < 2) 0 else 10), s"$size: $found")
    }
  }

  test("estimates the number of distinct elements") {
    for (distinct <- Seq(0, 1, 2, 10, 300)) {
      val window = WindowAlgorithm.dabaLite.window(bloom)
      (0 until 2 * distinct).foreach(i => window.insert((i % distinct).toLong))
      assertEqualsDouble(window.query().toDouble, distinct.toDouble, 0.05 * distinct)
    }
  }
}
