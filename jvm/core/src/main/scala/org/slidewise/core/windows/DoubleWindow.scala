package org.slidewise.core.windows

import org.slidewise.core.Evolving
import org.slidewise.core.DoubleAggregator
import org.slidewise.core.algorithms.SlotAlgorithm

/** Window over doubles. Boxes nothing if called with this static type. Not safe for concurrent use. */
@Evolving
final class DoubleWindow private[core] (operator: DoubleAggregator, algorithm: SlotAlgorithm[Array[Double]])
    extends Window[Array[Double], Double, Double](operator, algorithm) {

  // The rare branch does not join the common one again: the compiler then keeps fields in registers between calls. The local
  // variable makes the compiler check the algorithm's class once.
  override def insert(in: Double): Unit = {
    val algorithm = this.algorithm.self
    if (algorithm.hasRoom) put(in, algorithm) else makeRoomAndPut(in, algorithm)
  }

  private def makeRoomAndPut(in: Double, algorithm: SlotAlgorithm[Array[Double]]): Unit = {
    algorithm.makeRoom()
    put(in, algorithm)
  }

  private def put(in: Double, algorithm: SlotAlgorithm[Array[Double]]): Unit = {
    val states = algorithm.states
    val slot = algorithm.slotForInsert
    operator.lift(in, states.cells(slot), states.offset(slot))
    algorithm.insertLifted()
  }

  override def query(): Double = {
    val algorithm = this.algorithm.self
    val slot = algorithm.answer()
    val states = algorithm.states
    operator.lower(states.cells(slot), states.offset(slot))
  }
}
