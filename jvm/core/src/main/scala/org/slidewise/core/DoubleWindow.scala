package org.slidewise.core

import org.slidewise.core.algorithms.SlotAlgorithm

/** A window over doubles, nothing boxed when called with this type. */
final class DoubleWindow private[core] (operator: DoubleAggregator, algorithm: SlotAlgorithm[Array[Double]])
    extends Window[Array[Double], Double, Double](operator, algorithm) {

  // The rare case does not join the common one again, so that fields stay in registers from one call to the next. What is
  // called more than once is a local value, whose class the compiler then looks at once.
  override def insert(in: Double): Unit = {
    val algorithm = this.algorithm
    if (algorithm.hasRoom) put(algorithm, in) else makeRoomAndPut(algorithm, in)
  }

  private def makeRoomAndPut(algorithm: SlotAlgorithm[Array[Double]], in: Double): Unit = {
    algorithm.makeRoom()
    put(algorithm, in)
  }

  private def put(algorithm: SlotAlgorithm[Array[Double]], in: Double): Unit = {
    val slot = algorithm.slotForInsert
    val states = algorithm.states
    operator.lift(in, states.cells(slot), states.offset(slot))
    algorithm.insertLifted()
  }

  override def query(): Double = {
    val algorithm = this.algorithm
    val slot = algorithm.answer()
    val states = algorithm.states
    operator.lower(states.cells(slot), states.offset(slot))
  }
}
