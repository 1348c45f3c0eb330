package org.slidewise.core.incremental

import scala.collection.mutable

import munit.ScalaCheckSuite
import org.scalacheck.Gen

import org.slidewise.LongRun
import org.slidewise.core.Aggregator
import org.slidewise.core.batch.GreedySwa

/** Runs a checkpoint window beside the plain list of its elements and beside a merge-based window of a monoid. */
abstract class CheckpointSuite extends ScalaCheckSuite {

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(LongRun.orLess(400, 100))

  protected sealed trait Step
  protected case class Insert(value: Int) extends Step
  protected case object Evict extends Step

  /** Phases that fill, drain, slide and jump, with many values or few, rising, falling or random. */
  protected val steps: Gen[List[Step]] = {
    val values = Gen.oneOf(
      Gen.choose(0, 30).flatMap(n => Gen.listOfN(n, Gen.choose(-50, 50))),
      Gen.choose(0, 30).flatMap(n => Gen.listOfN(n, Gen.choose(0, 2))),
      Gen.choose(0, 30).map(n => (1 to n).toList),
      Gen.choose(0, 30).map(n => (1 to n).reverse.toList)
    )
    val phase = Gen.oneOf(
      values.map(_.map(Insert(_))),
      values.map(_.map(_ => Evict)),
      values.map(_.flatMap(value => List(Insert(value), Evict))),
      values.flatMap(all =>
        Gen.listOfN(all.size, Gen.oneOf(true, false)).map { inserts =>
          all.zip(inserts).map { case (value, insert) => if (insert) Insert(value) else Evict }
        }
      )
    )
    Gen.listOf(phase).map(_.flatten)
  }

  /** Takes each step, and after each gives `check` the window's elements with their positions, and the monoid's answer. */
  protected def follow[Agg, Out](
      window: CheckpointWindow[Int, _],
      monoid: Aggregator[Int, Agg, Out],
      steps: List[Step]
  )(check: (Seq[(Int, Long)], Out) => Unit): Unit = {
    val merged = new GreedySwa(monoid)
    val elements = mutable.Queue.empty[(Int, Long)]
    var position = 0L
    steps.foreach { step =>
      step match {
        case Insert(value) =>
          window.insert(value)
          merged.insert(value)
          elements += ((value, position))
          position += 1
        case Evict if elements.isEmpty => intercept[NoSuchElementException](window.evict())
        case Evict                     => window.evict(); merged.evict(); elements.dequeue()
      }
      assertEquals(window.size, elements.size)
      assertEquals((window.start, window.end), (position - elements.size, position))
      check(elements.toSeq, merged.query())
    }
  }
}
