package org.slidewise.core.algorithms

import munit.FunSuite
import org.slidewise.core._
import org.slidewise.core.windows._
import org.slidewise.core.operators.{DoubleMax, MaxCount}

/** The traces that the paper works out for maxCount. */
class TraceSuite extends FunSuite {

  WindowAlgorithm.all.foreach { algorithm =>
    test(s"$algorithm: section 2.3") {
      val counts = algorithm.window(MaxCount.ofDoubles)
      val maxima = algorithm.window(DoubleMax)
      def insert(in: Double*) = in.foreach { e => counts.insert(e); maxima.insert(e) }
      def evict() = { counts.evict(); maxima.evict() }
      def shows(max: Double, maxCount: Double)(implicit loc: munit.Location) =
        assertEquals((maxima.query(), counts.query()), (max, maxCount))

      insert(4, 5, 3, 4, 0, 4, 4)
      shows(5, 1)
      evict()
      shows(5, 1)
      evict()
      shows(4, 3)
      insert(2)
      shows(4, 3)
      insert(6)
      shows(6, 1)
      // Sections 3 and 4: steps (O) and (P).
      insert(5, 6, 1)
      shows(6, 2)
      insert(6)
      shows(6, 3)
    }
  }

  private def atStepO[A](algorithm: WindowAlgorithm): SlotAlgorithm[Array[Double]] = {
    val window = algorithm.window(MaxCount.ofDoubles)
    Seq[Double](4, 5, 3, 4, 0, 4, 4).foreach(window.insert(_))
    window.evict(2)
    Seq[Double](2, 6, 5, 6, 1).foreach(window.insert(_))
    window.algorithm
  }

  private def show(states: state.States[Array[Double]], slot: Int): String = {
    val (cells, at) = (states.cells(slot), states.offset(slot))
    s"${cells(at).toInt}x${cells(at + 1).toInt}"
  }

  test("Two-Stacks: both stacks at step (O), section 3") {
    val window = atStepO(WindowAlgorithm.twoStacks).asInstanceOf[TwoStacks[Array[Double]]]
    val at = (0 until 10).map(i => window.states.pair(window.front + i))
    assertEquals(at.map(show(window.states, _)).map(_.head).mkString, "3404426561")
    assertEquals(
      at.map(s => show(window.states, s + 1)).mkString(" "),
      "4x3 4x3 4x2 4x2 4x1 2x1 6x1 6x1 6x2 6x2"
    )
    assertEquals(window.middle - window.front, 5)
  }

  test("Two-Stacks Lite: the queue and aggB at step (O), section 4") {
    val window = atStepO(WindowAlgorithm.twoStacksLite).asInstanceOf[TwoStacksLite[Array[Double]]]
    assertEquals(
      (0 until 10).map(i => show(window.states, window.states.slot(window.front + i))).mkString(" "),
      "4x3 4x3 4x2 4x2 4x1 2x1 6x1 5x1 6x1 1x1"
    )
    assertEquals(show(window.states, TwoStacksLite.Back), "6x2")
    assertEquals(window.middle - window.front, 5)
  }
}
