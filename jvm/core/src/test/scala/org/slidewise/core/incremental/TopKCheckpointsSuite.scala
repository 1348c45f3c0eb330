package org.slidewise.core.incremental

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import org.slidewise.core.Aggregator

class TopKCheckpointsSuite extends CheckpointSuite {

  private class Merged(k: Int) extends Aggregator[Int, List[Int], List[Int]] {
    def identity: List[Int] = Nil
    def lift(in: Int): List[Int] = List(in)
    def combine(older: List[Int], newer: List[Int]): List[Int] = (older ++ newer).sorted.reverse.take(k)
    def lower(agg: List[Int]): List[Int] = agg
  }

  test("on the paper's window 3, 8, 12, 6, 5, 10, 4, 2: the two and three greatest, while it slides") {
    val two = new TopKCheckpoints[Int](2)
    val three = new TopKCheckpoints[Int](3)
    for (value <- Seq(3, 8, 12, 6, 5, 10, 4, 2)) {
      two.insert(value)
      three.insert(value)
    }
    assertEquals(two.query(), IndexedSeq(12, 10))
    assertEquals(three.query(), IndexedSeq(12, 10, 8))
    assertEquals((0 to 2).map(two.position(_)), IndexedSeq(2L, 5L, -1L))
    for (window <- Seq(two, three); value <- Seq(1, 11)) {
      window.evict()
      window.insert(value)
    }
    assertEquals(two.query(), IndexedSeq(12, 11))
    assertEquals(three.query(), IndexedSeq(12, 11, 10))
    for (window <- Seq(two, three)) window.evict()
    assertEquals(two.query(), IndexedSeq(11, 10))
    assertEquals(three.query(), IndexedSeq(11, 10, 6))
  }

  property("the naive answer, the merged one, and K1 to K3, after every step") {
    forAll(steps, Gen.choose(1, 6)) { (steps, k) =>
      val window = new TopKCheckpoints[Int](k)
      follow(window, new Merged(k), steps) { (elements, merged) =>
        val ranked = elements.sortBy { case (value, position) => (-value, -position) }
        assertEquals(window.query(), ranked.take(k).map(_._1).toIndexedSeq)
        assertEquals(window.query(), merged.toIndexedSeq)
        assertEquals(
          (0 until k).map(window.position(_)),
          (0 until k).map(i => ranked.lift(i).fold(-1L)(_._2))
        )
        val beaten = ranked.map { case (value, position) =>
          (value, position, elements.count(newer => newer._2 > position && newer._1 >= value))
        }
        assertEquals(
          (0 until window.checkpoints).map(window.checkpoint(_)),
          beaten.filter(_._3 < k).toIndexedSeq,
          "K1, K2, K3"
        )
      }
    }
  }

  test("few checkpoints for elements in random order") {
    val random = new scala.util.Random(7)
    val window = new TopKCheckpoints[Int](10)
    for (_ <- 0 until 50000) {
      if (window.size == 10000) window.evict()
      window.insert(random.nextInt())
      assert(window.checkpoints <= 4 * 10 * (1 + math.log(1000)))
    }
  }

  test("k below 1 is refused") {
    assert(
      intercept[IllegalArgumentException](new TopKCheckpoints[Int](0)).getMessage
        .contains("k must be at least 1")
    )
  }
}
