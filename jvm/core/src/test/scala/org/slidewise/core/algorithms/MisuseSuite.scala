package org.slidewise.core.algorithms

import java.util.NoSuchElementException
import munit.FunSuite
import org.slidewise.core._
import org.slidewise.core.windows._
import org.slidewise.core.operators._

class MisuseSuite extends FunSuite {

  private object PositiveOnly extends Aggregator[Int, Vector[Int], Vector[Int]] {
    override def identity: Vector[Int] = Vector.empty
    override def lift(in: Int): Vector[Int] =
      if (in < 0) throw new IllegalArgumentException("negative") else Vector(in)
    override def combine(older: Vector[Int], newer: Vector[Int]): Vector[Int] = older ++ newer
    override def lower(agg: Vector[Int]): Vector[Int] = agg
  }

  WindowAlgorithm.all.foreach { algorithm =>
    test(s"$algorithm: an empty window answers the lowered identity, and evicting from it says what to do") {
      val window = algorithm.window(DoubleSum)
      assertEquals(window.query(), 0.0)
      val e = intercept[NoSuchElementException](window.evict())
      assert(e.getMessage.contains("check that size is above 0"), e.getMessage)
      window.insert(2.0)
      assertEquals(window.query(), 2.0)
    }

    test(s"$algorithm: evicting more than there is, or less than nothing, changes nothing") {
      val window = algorithm.window(DoubleSum)
      Seq(1.0, 2.0, 4.0).foreach(window.insert(_))
      val tooMany = intercept[NoSuchElementException](window.evict(4))
      assert(tooMany.getMessage.contains("evict(4) on a window of 3 elements"), tooMany.getMessage)
      val negative = intercept[IllegalArgumentException](window.evict(-1))
      assert(negative.getMessage.contains("count must be 0 or more"), negative.getMessage)
      window.evict(0)
      assertEquals((window.size, window.query()), (3, 7.0))
    }

    test(s"$algorithm: an element that cannot be lifted is not in the window") {
      val window = algorithm.window(PositiveOnly)
      (0 until 40).foreach(window.insert)
      intercept[IllegalArgumentException](window.insert(-1))
      window.insert(40)
      window.evict(38)
      assertEquals(window.query(), Vector(38, 39, 40))
    }
  }

  test("subtract-on-evict takes invertible operators") {
    val window = WindowAlgorithm.subtractOnEvict.window(Mean)
    Seq(1.0, 2.0, 6.0).foreach(window.insert(_))
    window.evict()
    assertEquals(window.query(), 4.0)
    assertEquals(WindowAlgorithm.subtractOnEvict.window(LongSum).query(), 0L)
    assertEquals(
      WindowAlgorithm.subtractOnEvict.window(NaiveBayes.Operator).query().classify(Vector("a")),
      None
    )
  }

  test("subtract-on-evict refuses any other operator, at compile time") {
    assert(compileErrors("WindowAlgorithm.subtractOnEvict.window(DoubleMax)").contains("DoubleMax"))
    assert(compileErrors("WindowAlgorithm.subtractOnEvict.window(LongMin)").contains("LongMin"))
    assert(compileErrors("WindowAlgorithm.subtractOnEvict.window(new First[String])").contains("First"))
    assertEquals(compileErrors("WindowAlgorithm.subtractOnEvict.window(LongCount)"), "")
  }

  test("operators refuse parameters that are out of range") {
    val order = java.util.Comparator.naturalOrder[String]
    assert(intercept[IllegalArgumentException](new TopK[String](0, order)).getMessage.contains("k is 0"))
    assert(intercept[IllegalArgumentException](new BoundedCollect[Int](0)).getMessage.contains("limit is 0"))
    assert(intercept[IllegalArgumentException](new Bloom(100, 4)).getMessage.contains("bits is 100"))
    assert(intercept[IllegalArgumentException](new Bloom(64, 0)).getMessage.contains("hashes is 0"))
  }
}
