package org.slidewise.core.windows

import java.util.NoSuchElementException
import org.slidewise.core.Evolving
import org.slidewise.core.{InPlaceAggregator, SlidingAggregator}
import org.slidewise.core.algorithms.SlotAlgorithm

/**
 * Window that runs one [[WindowAlgorithm]]: lifts elements into the slots of the algorithm and lowers its results.
 *
 * An insertion costs one `lift` and a query one `lower`, beside the combines that the algorithm's class states. Not safe for
 * concurrent use.
 */
@Evolving
class Window[S, -In, +Out] private[core] (
    operator: InPlaceAggregator[S, In, Out],
    private[core] val algorithm: SlotAlgorithm[S]
) extends SlidingAggregator[In, Out] {

  override def size: Int = algorithm.size

  override def insert(in: In): Unit = {
    algorithm.makeRoom()
    val slot = algorithm.slotForInsert
    operator.lift(in, algorithm.states.cells(slot), algorithm.states.offset(slot))
    algorithm.insertLifted()
  }

  override def evict(): Unit = {
    val algorithm = this.algorithm.self
    if (algorithm.size == 0)
      throw new NoSuchElementException("evict() on an empty window: check that size is above 0 first")
    algorithm.evict()
  }

  override def evict(count: Int): Unit = {
    if (count < 0) throw new IllegalArgumentException(s"evict($count): count must be 0 or more")
    if (count > algorithm.size)
      throw new NoSuchElementException(
        s"evict($count) on a window of ${algorithm.size} elements: evict at most size elements"
      )
    if (count > 0) algorithm.evict(count)
  }

  override def query(): Out = query(operator.lower _)

  /** Applies `reader` to the window's state, in place of `lower`. */
  def query[R](reader: StateReader[S, R]): R = {
    val slot = algorithm.answer()
    reader.read(algorithm.states.cells(slot), algorithm.states.offset(slot))
  }
}

/** Reads a state. Must not change it or keep the array. */
@FunctionalInterface
trait StateReader[S, +R] {
  def read(cells: S, at: Int): R
}
