package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/** Computes the aggregates of the nodes of [[Fiba]]'s tree from their entries, children and parent. */
private[algorithms] final class FibaAggregates[S](states: States[S]) {
  import FibaAggregates.Nothing

  /** Establishes B3. */
  def ofSubtree(node: FibaNode): Unit = {
    val target = states.slot(node.agg)
    hold(target, ofRange(node, target, Nothing, first = true, last = true))
  }

  /** Establishes B4 for the root, or B5 for another spine node whose parent is up to date. */
  def onSpine(node: FibaNode): Unit = {
    val target = states.slot(node.agg)
    val below = !node.isRoot && !node.parent.isRoot
    val before = if (below && node.rightSpine) states.slot(node.parent.agg) else Nothing
    val own = ofRange(node, target, before, first = !node.leftSpine, last = !node.rightSpine)
    hold(target, if (below && node.leftSpine) followed(target, own, node.parent.agg) else own)
  }

  /**
   * Aggregates the slot `before` and then the entries and children of `node`. Returns `target`, or the slot of the only one of
   * them.
   */
  private def ofRange(node: FibaNode, target: Int, before: Int, first: Boolean, last: Boolean): Int = {
    val entries = node.entries
    var held = before
    var i = 0
    if (node.isLeaf)
      while (i < entries) {
        held = followed(target, held, node.value(i))
        i += 1
      }
    else {
      if (first) held = followed(target, held, node.child(0).agg)
      while (i < entries) {
        held = followed(target, held, node.value(i))
        if (last || i + 1 < entries) held = followed(target, held, node.child(i + 1).agg)
        i += 1
      }
    }
    held
  }

  /** Aggregates the slot `held` and then `position`. Returns the slot of the result. */
  private def followed(target: Int, held: Int, position: Int): Int =
    if (held == Nothing) states.slot(position)
    else {
      states.combine(target, held, states.slot(position))
      target
    }

  private def hold(target: Int, held: Int): Unit =
    if (held == Nothing) states.identity(target)
    else if (held != target) states.copy(target, held)
}

private object FibaAggregates {

  /** No slot. */
  final val Nothing = -1
}
