package org.slidewise.core.algorithms

import munit.FunSuite
import org.slidewise.core._
import scala.collection.mutable

/** Every algorithm with every operator, against the operator applied from scratch to a queue. */
class MatrixSuite extends FunSuite {

  for (algorithm <- AlgorithmSpec.all; operator <- AllOperators.all) pair(algorithm, operator)

  private def pair[S, In, Out](algorithm: AlgorithmSpec, spec: OperatorSpec[S, In, Out]): Unit =
    algorithm.make(spec.operator).foreach { _ =>
      test(s"${algorithm.name} × ${spec.name}") {
        val sample = spec.sample(500, seed = 3)
        for ((run, steps) <- Steps.all) {
          val window = algorithm.make(spec.operator).get
          val oracle = mutable.Queue.empty[In]
          val elements = Iterator.continually(sample).flatten

          def check(): Unit = {
            assertEquals(window.size, oracle.size, run)
            val expected = spec.operator.lower(spec.stateOf(oracle.toSeq), 0)
            val answer = window.query()
            assert(spec.same(answer, expected), s"$run: $answer of $oracle, not $expected")
          }

          check()
          steps.zipWithIndex.foreach { case (step, i) =>
            Steps.run(step, window, elements)(oracle.enqueue(_), n => oracle.dropInPlace(n))
            // Not after each step, so that runs without queries are tried too.
            if (i % 3 != 0 || i % 7 == 0) check()
          }
        }
      }
    }
}
