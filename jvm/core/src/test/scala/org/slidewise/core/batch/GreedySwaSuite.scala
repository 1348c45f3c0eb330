package org.slidewise.core.batch

import scala.collection.mutable

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class GreedySwaSuite extends ScalaCheckSuite {

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(500)

  private def letter(position: Int): Char = ('a' + position % 26).toChar

  private def evaluate(operator: CountingConcat, frames: Frames): Seq[String] = {
    val answers = mutable.ArrayBuffer.empty[String]
    GreedySwa.evaluate[Char, String, String](
      operator,
      letter(_),
      frames,
      (answer, k) => { assertEquals(k, answers.size); answers += answer }
    )
    answers.toSeq
  }

  private def framesOf(windows: Seq[(Int, Int)], size: Int) =
    Frames.of(windows.map(_._1).toArray, windows.map(_._2).toArray, windows.size, size)

  test("the paper's example: windows (1,3), (1,4), (2,4) over 2, 4, 5, 2 take four combines") {
    val operator = new CountingConcat
    val answers = mutable.ArrayBuffer.empty[String]
    GreedySwa.evaluate[Char, String, String](
      operator,
      "2452".charAt(_),
      framesOf(Seq((0, 3), (0, 4), (1, 4)), 4),
      (answer, _) => answers += answer
    )
    assertEquals(answers.toSeq, Seq("245", "2452", "452"))
    assertEquals(answers.map(_.map(_.asDigit).sum).toSeq, Seq(11, 13, 11))
    assertEquals(operator.combines, 4)
    assertEquals(FewestCombines(Seq((0, 3), (0, 4), (1, 4))), 4)
  }

  for (size <- 1 to 5)
    test(s"no method takes fewer combines: every sequence of windows over $size elements") {
      for (windows <- FrameGenerators.allSequences(size)) {
        val operator = new CountingConcat
        evaluate(operator, framesOf(windows, size))
        assertEquals(operator.combines, FewestCombines(windows), windows)
      }
    }

  property("random frames: each answer is that of a fold from the oldest to the newest") {
    forAll(FrameGenerators.sized) { frames =>
      val answers = evaluate(new CountingConcat, frames)
      assertEquals(
        answers,
        (0 until frames.count).map(k => (frames.lo(k) until frames.hi(k)).map(letter).mkString)
      )
    }
  }

  property("at most 2(n - 1) + k combines and n lifts for k different windows that cover n elements") {
    forAll(FrameGenerators.sized) { frames =>
      val operator = new CountingConcat
      evaluate(operator, frames)
      val covered = (0 until frames.size).count(p =>
        (0 until frames.count).exists(k => frames.lo(k) <= p && p < frames.hi(k))
      )
      assertEquals(operator.lifts, covered)
      val windows =
        (0 until frames.count).map(k => (frames.lo(k), frames.hi(k))).filter(w => w._1 < w._2).distinct.size
      assert(
        operator.combines <= math.max(0, 2 * (covered - 1)) + windows,
        s"$covered elements, $windows windows"
      )
    }
  }

  test("elements that no window covers are neither asked for nor combined") {
    val asked = mutable.ArrayBuffer.empty[Int]
    val operator = new CountingConcat
    GreedySwa.evaluate[Char, String, String](
      operator,
      p => { asked += p; letter(p) },
      framesOf(Seq((0, 2), (5, 5), (9, 12), (20, 22)), 30),
      (_, _) => ()
    )
    assertEquals(asked.toSeq, Seq(0, 1, 9, 10, 11, 20, 21))
    assertEquals(operator.combines, 1 + 2 + 1)
  }

  test("an element that leaves before any query is never combined") {
    val operator = new CountingConcat
    val window = new GreedySwa(operator)
    "abcdef".foreach(window.insert)
    window.evict(4)
    assertEquals(window.query(), "ef")
    assertEquals(operator.combines, 1)
  }

  private sealed trait Step
  private case object Insert extends Step
  private case object Evict extends Step
  private case object Query extends Step

  property(
    "invariants I1 to I4, the answer, the time and the space hold after every step of any interleaving"
  ) {
    val phase = Gen.choose(0, 12).flatMap { n =>
      Gen.oneOf(
        Gen.listOfN(n, Insert),
        Gen.listOfN(n, Evict),
        Gen.listOfN(n, Gen.oneOf(Insert, Evict, Query)),
        Gen.const(List.fill(n)(List(Insert, Query)).flatten),
        Gen.const(List.fill(n)(List(Insert, Evict, Query)).flatten)
      )
    }
    forAll(Gen.listOf(phase).map(_.flatten)) { steps =>
      val operator = new CountingConcat
      val window = new GreedySwa(operator)
      val model = mutable.Queue.empty[Char]
      var largest = 0
      var queries = 0
      steps.foreach {
        case Insert =>
          model += letter(operator.lifts)
          window.insert(model.last)
          largest = math.max(largest, model.size)
        case Evict if model.isEmpty => intercept[NoSuchElementException](window.evict())
        case Evict                  => model.dequeue(); window.evict()
        case Query                  =>
          val before = operator.combines
          queries += 1
          assertEquals(window.query(), model.mkString)
          assert(operator.combines - before <= math.max(0, model.size - 1))
          if (model.nonEmpty) assertEquals(window.node(0)._1, model.size, "I3")
          assertEquals({ val again = operator.combines; window.query(); operator.combines - again }, 0)
      }
      assertEquals(window.size, model.size)
      for (p <- model.indices) {
        val (after, partial) = window.node(p)
        assert(p < after && after <= model.size, "I1")
        for (q <- p until after) assert(window.node(q)._1 <= after, "I1")
        assertEquals(partial, model.slice(p, after).mkString, "I2")
      }
      assertEquals(window.held, model.size, "I4")
      assert(operator.combines <= 2 * operator.lifts + queries)
      assert(window.capacity <= math.max(16, 2 * largest))
    }
  }

  test("linear time and window-sized space at length: a window of 1000 over 100000 elements") {
    val operator = new CountingConcat
    val sum = new org.slidewise.core.Aggregator[Long, Long, Long] {
      def identity = 0L
      def lift(in: Long) = in
      def combine(older: Long, newer: Long) = { operator.combines += 1; older + newer }
      def lower(agg: Long) = agg
    }
    val window = new GreedySwa(sum)
    val n = 100000
    for (i <- 0 until n) {
      if (window.size == 1000) window.evict()
      window.insert(i.toLong)
      val from = math.max(0, i - 999)
      assertEquals(window.query(), (from + i).toLong * (i - from + 1) / 2)
      assert(window.held <= 1000)
    }
    assert(operator.combines <= 3 * n - 2)
    assertEquals(window.capacity, 1024)
  }

  test("misuse says what to do") {
    val window = new GreedySwa(new CountingConcat)
    assertEquals(window.query(), "")
    assert(intercept[NoSuchElementException](window.evict()).getMessage.contains("insert first"))
    window.insert('a')
    assert(
      intercept[NoSuchElementException](window.evict(2)).getMessage.contains("2 elements from a window of 1")
    )
    intercept[IllegalArgumentException](window.evict(-1))
    assertEquals(window.query(), "a")
  }
}
