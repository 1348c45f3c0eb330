package org.slidewise.core.multisets

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import org.slidewise.core.batch.Frames

class OrderStatisticsSuite extends MultisetSuite {

  private sealed trait Step
  private case class Add(code: Int) extends Step
  private case class Remove(index: Double) extends Step
  private case class Select(cursor: Int, rank: Double) extends Step

  private val fraction = Gen.choose(0.0, 0.999999)

  private val programs: Gen[(Int, List[Step])] = for {
    cardinality <- Gen.oneOf(1, 3, 70, 5000)
    removals <- Gen.choose(1, 8)
    step = Gen.frequency[Step](
      5 -> Gen.choose(0, cardinality - 1).map(Add(_)),
      removals -> fraction.map(Remove(_)),
      5 -> Gen.zip(Gen.choose(0, 2), fraction).map { case (cursor, rank) => Select(cursor, rank) }
    )
    steps <- Gen.listOfN(200, step)
  } yield (cardinality, steps)

  private val statistics = new OrderStatistics

  property("any ranks of any cursor, in multisets that become empty, reused") {
    forAll(programs) { case (cardinality, steps) =>
      statistics.reset(cardinality)
      var expected = Vector.empty[Int]
      val cursors = IndexedSeq.fill(2)(statistics.cursor())
      steps.foreach {
        case Add(code) =>
          statistics.add(code)
          expected = (expected :+ code).sorted
        case Remove(index) if expected.nonEmpty =>
          val at = (index * expected.size).toInt
          statistics.remove(expected(at))
          expected = expected.patch(at, Nil, 1)
        case Select(cursor, fraction) if expected.nonEmpty && cursor < 2 =>
          val rank = (fraction * expected.size).toInt
          assertEquals(cursors(cursor).select(rank.toLong), expected(rank))
          if (rank + 1 < expected.size) assertEquals(cursors(cursor).after(rank + 1L), expected(rank + 1))
        case _ => ()
      }
      assertEquals(statistics.size, expected.size.toLong)
    }
  }

  private final class CountedMoves extends PresentCodes {
    var moves = 0L
    override def next(code: Int): Int = {
      moves += 1
      super.next(code)
    }
    override def previous(code: Int): Int = {
      moves += 1
      super.previous(code)
    }
  }

  property("a cursor of a fixed quantile moves at most thrice for each row that enters or leaves") {
    val inputs = for {
      size <- Gen.choose(0, 2000)
      width <- Gen.choose(1, math.max(1, size))
      distinct <- Gen.oneOf(3, 50, 100000)
      codes <- Gen.containerOfN[Array, Int](size, Gen.choose(0, distinct - 1))
      quantile <- Gen.choose(0.0, 1.0)
    } yield (codes, distinct, Frames.rows(size, 1 - width, 0), quantile)
    forAll(inputs) { case (codes, distinct, frames, quantile) =>
      val present = new CountedMoves
      val out = Array(new Array[Int](codes.length))
      new Percentiles(new OrderStatistics(present))
        .ranked(codes, distinct, Array(RankRule.discrete(quantile)), frames, out)
      val steps = codes.length + (if (frames.count == 0) 0 else frames.lo(frames.count - 1))
      assert(present.moves <= 3L * steps, s"${present.moves} moves for $steps rows that entered or left")
    }
  }
}
