package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/** Computes what the nodes of [[Fiba]]'s tree hold, from their entries, children and parent. */
private[algorithms] final class FibaAggregates[S](states: States[S]) {
  private[this] var target: Int = States.Identity
  private[this] var begun: Boolean = false

  /** B3. */
  def ofSubtree(node: FibaNode): Unit = {
    begin(node)
    range(node, first = true, last = true)
    finish()
  }

  /** B4 for the root, B5 for any other node of a spine, whose parent holds what it should. */
  def onSpine(node: FibaNode): Unit = {
    begin(node)
    if (node.rightSpine) ofParent(node)
    range(node, first = !node.leftSpine, last = !node.rightSpine)
    if (node.leftSpine) ofParent(node)
    finish()
  }

  private def begin(node: FibaNode): Unit = {
    target = states.slot(node.agg)
    begun = false
  }

  private def ofParent(node: FibaNode): Unit =
    if (!node.isRoot && !node.parent.isRoot) append(node.parent.agg)

  private def range(node: FibaNode, first: Boolean, last: Boolean): Unit = {
    if (first && !node.isLeaf) append(node.child(0).agg)
    var i = 0
    while (i < node.entries) {
      append(node.value(i))
      if (!node.isLeaf && (last || i + 1 < node.entries)) append(node.child(i + 1).agg)
      i += 1
    }
  }

  private def append(position: Int): Unit = {
    if (begun) states.combine(target, target, states.slot(position))
    else states.copy(target, states.slot(position))
    begun = true
  }

  private def finish(): Unit = if (!begun) states.identity(target)
}
