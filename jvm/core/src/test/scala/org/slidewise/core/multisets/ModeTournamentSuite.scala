package org.slidewise.core.multisets

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class ModeTournamentSuite extends MultisetSuite {

  private val tournament = new ModeTournament

  /** Codes to add; a step without a code removes the oldest element. */
  private val steps: Gen[List[Option[Int]]] =
    Gen.choose(1, 200).flatMap(most => Gen.listOf(Gen.option(Gen.choose(0, most))))

  property("codes of any size are added and removed, and ties are in a given order") {
    forAll(steps, Gen.choose(0, 1000)) { (steps, seed) =>
      def place(code: Int): Int = scala.util.hashing.MurmurHash3.mix(seed, code)
      val ties = new TieOrder {
        def precedes(a: Int, b: Int): Boolean = place(a) < place(b) || place(a) == place(b) && a < b
      }
      tournament.reset(0, ties)
      val elements = mutable.Queue.empty[Int]
      steps.foreach { step =>
        step match {
          case Some(code) =>
            tournament.add(code)
            elements.enqueue(code)
          case None => if (elements.nonEmpty) tournament.remove(elements.dequeue())
        }
        val counts = elements.groupBy(identity).map { case (code, all) => code -> all.size }
        val expected = counts.toSeq.sortBy { case (code, count) => (-count, place(code), code) }
        assertEquals(tournament.winner, expected.headOption.fold(-1)(_._1))
      }
    }
  }

  test("a code that has left may come back with another place among ties") {
    var places = Map(0 -> 0, 1 -> 1)
    val tournament = new ModeTournament
    tournament.reset(
      2,
      new TieOrder {
        def precedes(a: Int, b: Int): Boolean = places(a) < places(b)
      }
    )
    tournament.add(0)
    tournament.add(1)
    assertEquals(tournament.winner, 0)
    tournament.remove(0)
    places = Map(0 -> 2, 1 -> 1)
    tournament.add(0)
    assertEquals(tournament.winner, 1)
  }
}
