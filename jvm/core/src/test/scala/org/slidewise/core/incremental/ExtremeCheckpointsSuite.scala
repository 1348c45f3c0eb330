package org.slidewise.core.incremental

import org.scalacheck.Prop.forAll

import org.slidewise.core.Aggregator

class ExtremeCheckpointsSuite extends CheckpointSuite {

  private class Extreme(better: (Int, Int) => Int) extends Aggregator[Int, Option[Int], Option[Int]] {
    def identity: Option[Int] = None
    def lift(in: Int): Option[Int] = Some(in)
    def combine(older: Option[Int], newer: Option[Int]): Option[Int] = (older ++ newer).reduceOption(better)
    def lower(agg: Option[Int]): Option[Int] = agg
  }

  test("the paper's illustration: 3, 8, 12, 6, 5, 10, 4, 2, then 1 and 11 enter") {
    val window = ExtremeCheckpoints.max[Int]
    Seq(3, 8, 12, 6, 5, 10, 4, 2).foreach(window.insert)
    // The paper lists 12 and 10; 4 and 2, which its algorithm of section 7.4 goes on to, come after them.
    assertEquals(window.all.map(_._1), Seq(12, 10, 4, 2))
    assertEquals((window.query(), window.position), (Option(12), 2L))
    window.evict()
    window.insert(1)
    assertEquals(window.query(), Option(12))
    window.evict()
    window.insert(11)
    assertEquals(window.all.map(_._1), Seq(12, 11))
    assertEquals(window.query(), Option(12))
    window.evict()
    assertEquals((window.query(), window.position), (Option(11), 9L))
  }

  for (
    (name, make, order) <- Seq(
      ("max", () => ExtremeCheckpoints.max[Int], Ordering.Int),
      ("min", () => ExtremeCheckpoints.min[Int], Ordering.Int.reverse)
    )
  )
    property(s"$name: the naive answer, the merged one, and E1 and E2, after every step") {
      forAll(steps) { steps =>
        val window = make()
        follow(window, new Extreme(order.max(_, _)), steps) { (elements, merged) =>
          val best = elements.map(_._1).maxOption(order)
          assertEquals(window.query(), best)
          assertEquals(window.query(), merged)
          assertEquals(window.position, elements.filter(_._1 == best.get).lastOption.fold(-1L)(_._2))
          val unbeaten = elements.tails.collect {
            case e +: newer if newer.forall(n => order.lt(n._1, e._1)) => e
          }
          assertEquals(window.all, unbeaten.toSeq, "E1, E2")
          assertEquals(window.checkpoints, window.all.size)
        }
      }
    }

  test("at most two comparisons an insert, whatever the order of the elements") {
    var comparisons = 0
    val counting = new Ordering[Int] {
      def compare(a: Int, b: Int): Int = { comparisons += 1; Integer.compare(a, b) }
    }
    val n = 10000
    for (value <- Seq[Int => Int](i => i, i => -i, i => i * 7919 % 1009, _ => 0)) {
      comparisons = 0
      val window = ExtremeCheckpoints.max(counting)
      for (i <- 0 until n) {
        if (window.size == 500) window.evict()
        window.insert(value(i))
      }
      assert(comparisons <= 2 * n)
      assert(window.checkpoints <= 500)
    }
  }

  test("many elements are evicted at once as one by one, or none if there are not so many") {
    val window = ExtremeCheckpoints.max[Int]
    Seq(3, 8, 12, 6, 5, 10, 4, 2).foreach(window.insert)
    intercept[NoSuchElementException](window.evict(9))
    intercept[IllegalArgumentException](window.evict(-1))
    assertEquals((window.size, window.query()), (8, Option(12)))
    window.evict(4)
    assertEquals((window.size, window.query()), (4, Option(10)))
    window.evict(4)
    assertEquals((window.size, window.query()), (0, Option.empty[Int]))
  }

  test("an empty window has no extreme and cannot be evicted") {
    val window = ExtremeCheckpoints.min[String]
    assertEquals((window.query(), window.position), (Option.empty[String], -1L))
    assert(intercept[NoSuchElementException](window.evict()).getMessage.contains("insert first"))
  }
}
