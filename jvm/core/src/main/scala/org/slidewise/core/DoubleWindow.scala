package org.slidewise.core

import org.slidewise.core.algorithms.SlotAlgorithm

/** A window over doubles, nothing boxed when called with this type. */
final class DoubleWindow private[core] (operator: DoubleAggregator, algorithm: SlotAlgorithm[Array[Double]])
    extends Window[Array[Double], Double, Double](operator, algorithm) {

  // The rare case does not join the common one again, so that fields stay in registers from one call to the next.
  override def insert(in: Double): Unit = if (algorithm.hasRoom) put(in) else makeRoomAndPut(in)

  private def makeRoomAndPut(in: Double): Unit = {
    algorithm.makeRoom()
    put(in)
  }

  private def put(in: Double): Unit = {
    val slot = algorithm.slotForInsert
    operator.lift(in, algorithm.states.cells(slot), algorithm.states.offset(slot))
    algorithm.insertLifted()
  }

  override def query(): Double = {
    val slot = algorithm.answer()
    operator.lower(algorithm.states.cells(slot), algorithm.states.offset(slot))
  }
}
