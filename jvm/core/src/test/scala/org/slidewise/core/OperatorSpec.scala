package org.slidewise.core

import org.scalacheck.Gen
import org.scalacheck.rng.Seed

/** An operator with a generator of elements and the equality of its results. */
final case class OperatorSpec[S, In, Out](
    name: String,
    operator: InPlaceAggregator[S, In, Out],
    elements: Gen[In],
    same: (Out, Out) => Boolean
) {

  def sample(count: Int, seed: Long): IndexedSeq[In] =
    Gen.listOfN(count, elements).pureApply(Gen.Parameters.default, Seed(seed)).toIndexedSeq

  /** A state of its own array, made by combining `in` one by one. */
  def stateOf(in: Seq[In]): S = {
    val states = operator.allocate(2 * operator.width)
    operator.identity(states, 0)
    in.foreach { e =>
      operator.lift(e, states, operator.width)
      operator.combine(states, 0, states, 0, states, operator.width)
    }
    states
  }

  def combined(older: S, newer: S): S = {
    val to = operator.allocate(operator.width)
    operator.combine(to, 0, older, 0, newer, 0)
    to
  }

  def sameState(a: S, b: S): Boolean =
    (0 until operator.width).forall { i =>
      (a, b) match {
        case (a: Array[Double], b: Array[Double]) => OperatorSpec.close(a(i), b(i))
        case (a: Array[Long], b: Array[Long])     => a(i) == b(i)
        case (a: Array[AnyRef], b: Array[AnyRef]) => a(i) == b(i)
        case _                                    => false
      }
    }
}

object OperatorSpec {

  def close(a: Double, b: Double): Boolean =
    java.lang.Double.compare(a, b) == 0 || math
      .abs(a - b) <= 1e-9 * math.max(1.0, math.max(math.abs(a), math.abs(b)))

  def ofDoubles(name: String, operator: DoubleAggregator, elements: Gen[Double]): OperatorSpec[_, _, _] =
    OperatorSpec[Array[Double], Double, Double](name, operator, elements, close)

  def ofLongs(name: String, operator: LongAggregator, elements: Gen[Long]): OperatorSpec[_, _, _] =
    OperatorSpec[Array[Long], Long, Long](name, operator, elements, _ == _)

  def inPlace[S, In, Out](
      name: String,
      operator: InPlaceAggregator[S, In, Out],
      elements: Gen[In]
  ): OperatorSpec[_, _, _] = OperatorSpec[S, In, Out](name, operator, elements, _ == _)

  def ofObjects[In, Agg, Out](
      name: String,
      aggregator: Aggregator[In, Agg, Out],
      elements: Gen[In],
      same: (Out, Out) => Boolean = (a: Out, b: Out) => a == b
  ): OperatorSpec[_, _, _] = aggregator match {
    case a: InvertibleAggregator[In, Agg, Out] @unchecked =>
      OperatorSpec(name, ObjectAggregator.invertible(a), elements, same)
    case a => OperatorSpec(name, ObjectAggregator.of(a), elements, same)
  }
}
