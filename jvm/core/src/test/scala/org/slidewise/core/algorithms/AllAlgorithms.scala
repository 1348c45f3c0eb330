package org.slidewise.core.algorithms

import org.slidewise.core._
import org.slidewise.core.windows._

/** An algorithm, as a factory of windows for the operators that it supports. */
final case class AlgorithmSpec(name: String, make: AlgorithmSpec.Maker)

object AlgorithmSpec {

  trait Maker {
    def apply[S, In, Out](operator: InPlaceAggregator[S, In, Out]): Option[Window[S, In, Out]]
  }

  private def of(algorithm: WindowAlgorithm): AlgorithmSpec = AlgorithmSpec(
    algorithm.name,
    new Maker {
      def apply[S, In, Out](operator: InPlaceAggregator[S, In, Out]): Option[Window[S, In, Out]] =
        Some(algorithm.window(operator))
    }
  )

  private val subtracting: AlgorithmSpec = AlgorithmSpec(
    "Subtract-on-Evict",
    new Maker {
      def apply[S, In, Out](operator: InPlaceAggregator[S, In, Out]): Option[Window[S, In, Out]] =
        operator match {
          case inverse: Invertible[S] @unchecked =>
            Some(new Window(operator, new SubtractOnEvict(state.RingStates.of(operator, 1), inverse)))
          case _ => None
        }
    }
  )

  val all: Seq[AlgorithmSpec] = subtracting +: WindowAlgorithm.all.map(of)
}
