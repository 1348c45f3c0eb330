package org.slidewise.core.algorithms

import munit.FunSuite
import org.slidewise.core._
import org.slidewise.core.windows._
import org.slidewise.core.operators.{Concatenation, LongSum}
import scala.util.Random

/** Tests the theorems on combines at each operation, and on space by counting the written cells. */
class CombinesSuite extends FunSuite {

  private def log2(n: Int): Int = 32 - Integer.numberOfLeadingZeros(n)

  /** Most combines of an insertion, eviction, query, by the window's size before it. */
  private case class Bounds(insert: Int => Int, evict: Int => Int, query: Int => Int)

  private val bounds: Map[String, Bounds] = Map(
    "Recalculation" -> Bounds(_ => 0, _ => 0, n => n),
    "Two-Stacks" -> Bounds(_ => 1, n => n, _ => 1),
    "Two-Stacks Lite" -> Bounds(_ => 1, n => n, _ => 1),
    "DABA" -> Bounds(_ => 4, _ => 3, _ => 1),
    "DABA Lite" -> Bounds(_ => 3, _ => 2, _ => 1),
    "FlatFIT" -> Bounds(_ => 0, _ => 0, n => math.max(n - 1, 0))
  )

  private def rounds(
      algorithm: WindowAlgorithm,
      n: Int,
      rounds: Int,
      width: Int = 1
  ): (Double, Double, Double) = {
    val counting = new Counting(new Widened[Array[Long], Long, Long](LongSum, width))
    val window = algorithm.window(counting)
    var (inserts, evicts, asks) = (0L, 0L, 0L)
    (0 until n).foreach(i => window.insert(i.toLong))
    (0 until rounds).foreach { i =>
      evicts += counting.combinesOf(window.evict())
      inserts += counting.combinesOf(window.insert(i.toLong))
      asks += counting.combinesOf(window.query(): Unit)
    }
    (inserts.toDouble / rounds, evicts.toDouble / rounds, asks.toDouble / rounds)
  }

  bounds.foreach { case (name, bound) =>
    for {
      algorithm <- WindowAlgorithm.all.filter(a => a.name == name || a.name == s"$name, chunked")
      width <- Seq(1, 16)
    }
      test(s"$algorithm: no step takes more combines than the theorem says, with states of $width") {
        val random = new Random(5)
        val counting = new Counting(new Widened[Array[Long], Long, Long](LongSum, width))
        val window = algorithm.window(counting)
        (0 until 20000).foreach { i =>
          val n = window.size
          val grow = (i / 700) % 2 == 0
          if (n == 0 || random.nextInt(10) < (if (grow) 7 else 3)) {
            val c = counting.combinesOf(window.insert(i.toLong))
            assert(c <= bound.insert(n), s"insert at $n took $c")
          } else {
            val c = counting.combinesOf(window.evict())
            assert(c <= bound.evict(n), s"evict at $n took $c")
          }
          val c = counting.combinesOf(window.query(): Unit)
          assert(c <= bound.query(window.size), s"query at ${window.size} took $c")
        }
      }
  }

  test(
    "Two-Stacks and Two-Stacks Lite: insert and query take exactly one combine, a round of evictions one each"
  ) {
    for (
      algorithm <- Seq(WindowAlgorithm.twoStacks, WindowAlgorithm.twoStacksLite); n <- Seq(1, 5, 64, 1000)
    ) {
      val (insert, evict, query) = rounds(algorithm, n, 20 * n)
      assertEquals((insert, query), (1.0, 1.0), s"$algorithm at $n")
      assert(evict <= 1.0, s"$algorithm at $n: $evict")
    }
  }

  test("DABA takes 2.5 combines an insertion and 1.5 an eviction on average, DABA Lite 2 and 1") {
    for {
      (algorithm, both) <- Seq(WindowAlgorithm.daba -> 4.0, WindowAlgorithm.dabaLite -> 3.0)
      n <- Seq(8, 64, 1000)
      width <- Seq(1, 16)
    } {
      val (insert, evict, query) = rounds(algorithm, n, 1000 * n, width)
      assertEqualsDouble(insert + evict, both, 0.01, s"$algorithm at $n")
      // With wide states the evictions perform the reversal.
      val ofInsert = if (width == 1) both / 2 + 0.5 else 1.0
      assertEqualsDouble(insert, ofInsert, 2 * both / n, s"$algorithm at $n, states of $width")
      assert(query <= 1.0)
    }
  }

  test("FlatFIT takes at most two combines a round on average") {
    for (n <- Seq(8, 64, 1000)) {
      val (insert, evict, query) = rounds(WindowAlgorithm.flatFit, n, 200 * n)
      assertEquals((insert, evict), (0.0, 0.0))
      assert(query <= 3.0, s"at $n: $query")
    }
  }

  test("FlatFAT takes one combine a level") {
    for (n <- Seq(8, 64, 1000)) {
      val (insert, evict, query) = rounds(WindowAlgorithm.flatFat, n, 20 * n)
      assert(insert <= log2(n) && evict <= log2(n), s"at $n: $insert, $evict")
      assertEquals(query, 0.0, "commutative")
    }
    val counting = new Counting(ObjectAggregator.of(new Concatenation[Int]))
    val window = WindowAlgorithm.flatFat.window(counting)
    (0 until 50).foreach(window.insert)
    (50 until 500).foreach { i =>
      window.evict()
      window.insert(i)
      assert(counting.combinesOf(window.query(): Unit) <= 2 * log2(50) + 3)
    }
  }

  // 16 elements fill the smallest ring, so every slot of it is in use, and no other cell is there to write to.
  Seq(
    (WindowAlgorithm.twoStacks, 2 * 16, "2 n"),
    (WindowAlgorithm.twoStacksLite, 16 + 1, "n + 1"),
    (WindowAlgorithm.daba, 2 * 16 + 1, "2 n, and one to compute with"),
    (WindowAlgorithm.dabaLite, 16 + 2, "n + 2")
  ).foreach { case (algorithm, expected, space) =>
    test(s"$algorithm stores $space states, beside the identity and the answer") {
      val counting = new Counting[Array[Long], Long, Long](LongSum)
      val window = algorithm.window(counting)
      counting.written.clear()
      (0 until 16).foreach(i => window.insert(i.toLong))
      (0 until 1000).foreach { i =>
        window.evict()
        window.insert(i.toLong)
        window.query()
      }
      assertEquals((counting.written.toSet - state.States.Identity - state.States.Result).size, expected)
    }
  }
}
