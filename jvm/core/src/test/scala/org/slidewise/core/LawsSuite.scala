package org.slidewise.core

import munit.ScalaCheckSuite
import org.scalacheck.Prop.forAll
import org.scalacheck.{Gen, Shrink}

/** Tests the laws of operators for each operator of the core. */
class LawsSuite extends ScalaCheckSuite {

  AllOperators.all.foreach(laws(_))

  private def laws[S, In, Out](spec: OperatorSpec[S, In, Out]): Unit = {
    import spec._
    implicit val noShrink: Shrink[List[In]] = Shrink.shrinkAny
    val runs = Gen.choose(0, 6).flatMap(Gen.listOfN(_, elements))

    property(s"$name: combine is associative") {
      forAll(runs, runs, runs) { (x, y, z) =>
        val (a, b, c) = (stateOf(x), stateOf(y), stateOf(z))
        sameState(combined(a, combined(b, c)), combined(combined(a, b), c))
      }
    }

    property(s"$name: identity is neutral on both sides") {
      forAll(runs) { x =>
        val a = stateOf(x)
        val none = stateOf(Nil)
        sameState(combined(none, a), a) && sameState(combined(a, none), a)
      }
    }

    property(s"$name: combine may write to what it reads, and changes nothing else") {
      forAll(runs, runs) { (x, y) =>
        val (a, b) = (stateOf(x), stateOf(y))
        val expected = combined(a, b)
        val unmoved = sameState(a, stateOf(x)) && sameState(b, stateOf(y))
        operator.combine(a, 0, a, 0, b, 0)
        val ontoOlder = sameState(a, expected)
        val older = stateOf(x)
        operator.combine(b, 0, older, 0, b, 0)
        unmoved && ontoOlder && sameState(b, expected)
      }
    }

    property(s"$name: copy copies, and lower sees but the state") {
      forAll(runs) { x =>
        val a = stateOf(x)
        val to = operator.allocate(3 * operator.width)
        operator.copy(to, 2 * operator.width, a, 0)
        same(operator.lower(a, 0), operator.lower(to, 2 * operator.width)) && same(
          operator.lower(a, 0),
          operator.lower(a, 0)
        )
      }
    }

    property(s"$name: what cells held before is forgotten") {
      forAll(runs, runs, runs) { (x, y, before) =>
        def answer(write: S => Unit): Out = {
          val cells = stateOf(before)
          write(cells)
          operator.lower(cells, 0)
        }
        val (a, b) = (stateOf(x), stateOf(y))
        same(answer(operator.identity(_, 0)), operator.lower(stateOf(Nil), 0)) &&
        same(answer(operator.copy(_, 0, a, 0)), operator.lower(a, 0)) &&
        same(answer(operator.combine(_, 0, a, 0, b, 0)), operator.lower(combined(a, b), 0)) &&
        x.forall(e => same(answer(operator.lift(e, _, 0)), operator.lower(stateOf(Seq(e)), 0)))
      }
    }

    property(s"$name: suffixes are what combining from the newest on makes") {
      forAll(runs) { x =>
        val stride = math.max(Integer.highestOneBit(2 * operator.width - 1), 1)
        val cells = operator.allocate((x.size + 1) * stride)
        x.zipWithIndex.foreach { case (e, i) => operator.lift(e, cells, (i + 1) * stride) }
        if (x.nonEmpty) operator.suffixes(cells, stride, stride, x.size)
        x.indices.forall { i =>
          val suffix = operator.allocate(operator.width)
          operator.copy(suffix, 0, cells, (i + 1) * stride)
          sameState(suffix, stateOf(x.drop(i)))
        }
      }
    }

    if (operator.commutative)
      property(s"$name: commutes, as declared") {
        forAll(runs, runs) { (x, y) =>
          val (a, b) = (stateOf(x), stateOf(y))
          sameState(combined(a, b), combined(b, a))
        }
      }
    else
      test(s"$name: does not commute, as declared") {
        val in = sample(200, seed = 1)
        assert(in.indices.exists { i =>
          val (a, b) = (stateOf(in.slice(i, i + 1)), stateOf(in.slice(i + 1, i + 6)))
          !sameState(combined(a, b), combined(b, a))
        })
      }

    if (operator.selective)
      property(s"$name: selects, as declared") {
        forAll(runs, runs) { (x, y) =>
          val (a, b) = (stateOf(x), stateOf(y))
          val c = combined(a, b)
          sameState(c, a) || sameState(c, b)
        }
      }
    else
      test(s"$name: does not select, as declared") {
        val in = sample(200, seed = 2)
        assert(in.indices.exists { i =>
          val (a, b) = (stateOf(in.slice(i, i + 1)), stateOf(in.slice(i + 1, i + 3)))
          val c = combined(a, b)
          !sameState(c, a) && !sameState(c, b)
        })
      }

    operator match {
      case inverse: Invertible[S] @unchecked =>
        property(s"$name: subtract takes the oldest back") {
          forAll(runs, runs) { (x, y) =>
            val (a, b) = (stateOf(x), stateOf(y))
            val whole = combined(a, b)
            inverse.subtract(whole, 0, whole, 0, a, 0)
            sameState(whole, b)
          }
        }
      case _ => ()
    }
  }
}
