package org.slidewise.core.algorithms

import munit.FunSuite
import org.slidewise.core._
import org.slidewise.core.operators.Concatenation
import scala.collection.mutable

/**
 * The numbered invariants of each algorithm's class, after each operation: with concatenation, a state shows what it is
 * the aggregate of.
 */
class InvariantsSuite extends FunSuite {
  private type Refs = Array[AnyRef]

  private val concatenation = ObjectAggregator.of(new Concatenation[Int])

  for ((operator, kind) <- Seq(concatenation -> "", new Widened(concatenation, 16) -> " with wide states"))
    AlgorithmSpec.all.foreach { spec =>
      test(s"${spec.name}$kind: the invariants hold after each operation") {
        spec.make(operator).foreach { _ =>
          for ((run, steps) <- Steps.all) {
            val window = spec.make(operator).get
            val oracle = mutable.Queue.empty[Int]
            val elements = Iterator.from(0)
            for (step <- steps; single <- split(step)) {
              Steps.run(single, window, elements)(oracle.enqueue(_), n => oracle.dropInPlace(n))
              check(window.algorithm, oracle.toVector, run)
              window.query()
              check(window.algorithm, oracle.toVector, run)
            }
          }
        }
      }
    }

  private def split(step: Steps.Step): Seq[Steps.Step] = step match {
    case Steps.Insert(n) => Seq.fill(n)(Steps.Insert(1))
    case other           => Seq(other)
  }

  private def check(algorithm: SlotAlgorithm[Refs], v: Vector[Int], run: String): Unit = {
    def state(slot: Int): AnyRef = algorithm.states.cells(slot)(algorithm.states.offset(slot))

    def holds(name: String, slot: Int, expected: Seq[Int]): Unit =
      assertEquals[Any, Any](state(slot), expected.toVector, s"$run: $name for a window of ${v.size}")

    def slots(deque: DequeAlgorithm[Refs]): Int => Int = i => deque.states.slot(deque.front + i)

    def pairs(deque: DequeAlgorithm[Refs]): Int => Int = i => deque.states.pair(deque.front + i)

    algorithm match {
      case w: RecalculateFromScratch[Refs @unchecked] =>
        v.indices.foreach(i => holds("R1", slots(w)(i), v.slice(i, i + 1)))

      case w: TwoStacks[Refs @unchecked] =>
        val (at, m) = (pairs(w), w.middle - w.front)
        v.indices.foreach(i => holds("T1", at(i), v.slice(i, i + 1)))
        (0 until m).foreach(i => holds("T2", at(i) + 1, v.slice(i, m)))
        (m until v.size).foreach(i => holds("T3", at(i) + 1, v.slice(m, i + 1)))

      case w: TwoStacksLite[Refs @unchecked] =>
        val (at, m) = (slots(w), w.middle - w.front)
        (0 until m).foreach(i => holds("L1", at(i), v.slice(i, m)))
        (m until v.size).foreach(i => holds("L2", at(i), v.slice(i, i + 1)))
        if (m < v.size) holds("L3", TwoStacksLite.Back, v.drop(m))

      case w: Daba[Refs @unchecked] =>
        val at = pairs(w)
        val (l, r, a, b) = sublists(w)
        v.indices.foreach(i => holds("D1", at(i), v.slice(i, i + 1)))
        ((0 until l) ++ (a until b)).foreach(i => holds("D2", at(i) + 1, v.slice(i, b)))
        (l until r).foreach(i => holds("D3", at(i) + 1, v.slice(i, r)))
        (r until a).foreach(i => holds("D4", at(i) + 1, v.slice(r, i + 1)))
        (b until v.size).foreach(i => holds("D5", at(i) + 1, v.slice(b, i + 1)))
        sizes("D6", v.size, l, r, a, b, run)

      case w: DabaLite[Refs @unchecked] =>
        val at = slots(w)
        val (l, r, a, b) = sublists(w)
        ((0 until l) ++ (a until b)).foreach(i => holds("DL1", at(i), v.slice(i, b)))
        (l until r).foreach(i => holds("DL2", at(i), v.slice(i, r)))
        ((r until a) ++ (b until v.size)).foreach(i => holds("DL3", at(i), v.slice(i, i + 1)))
        if (l != r) holds("DL4", w.accumulatedRegister, v.slice(r, b))
        if (b != v.size) holds("DL5", w.backRegister, v.drop(b))
        sizes("DL6", v.size, l, r, a, b, run)

      case w: FlatFat[Refs @unchecked] =>
        val capacity = w.states.capacity
        val leaves = Array.fill(capacity)(Vector.empty[Int])
        v.indices.foreach(i => leaves((w.front + i) & (capacity - 1)) = v.slice(i, i + 1))
        leaves.indices.foreach(i => holds("F1, F2", w.node(capacity + i), leaves(i)))
        (1 until capacity).foreach { i =>
          val children =
            state(w.node(2 * i)).asInstanceOf[Vector[Int]] ++ state(w.node(2 * i + 1))
              .asInstanceOf[Vector[Int]]
          holds("F3", w.node(i), children)
        }

      case w: FlatFit[Refs @unchecked] =>
        v.indices.foreach { i =>
          val next = w.next(w.front + i) - w.front
          assert(i < next && next <= v.size, s"$run: X1")
          holds("X2", slots(w)(i), v.slice(i, next))
        }

      case w: Fiba[Refs @unchecked] => FibaInvariants.check(w, v, run)

      case other => fail(s"no invariants are checked for ${other.getClass}")
    }
  }

  /** The offsets of l, r, a and b in the window; all at the end of the front list if no reversal is in progress. */
  private def sublists(w: BankersAlgorithm[Refs]): (Int, Int, Int, Int) = {
    val b = w.b - w.front
    if (w.l == w.r) (b, b, b, b) else (w.l - w.front, w.r - w.front, w.a - w.front, b)
  }

  private def sizes(name: String, n: Int, l: Int, r: Int, a: Int, b: Int, run: String): Unit = {
    assert(n == 0 || 0 < l && l <= r && r <= a && a <= b && b <= n, s"$run: order of positions")
    assert(
      n == 0 || (r - l + 1 <= b - (n - b) && r - l == a - r),
      s"$run: $name at ($l, $r, $a, $b, $n)"
    )
  }
}
