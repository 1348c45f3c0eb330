package org.slidewise.core.algorithms

import org.slidewise.core.state.{RingStates, States}

/**
 * FiBA: a B-tree ordered by time, with fingers to the oldest and the newest leaf. Supports elements out of order. The placement
 * of partial aggregates keeps changes at both ends local.
 *
 * Combines: in order, insert and evict O(1) amortised and O(log n) worst case; an element with d newer ones, O(log d)
 * amortised; query 2, or 0 with fewer than 8 elements. Space: n states and one for each of at most n / 3 + 2 nodes. Nodes and
 * slots are reused and never released, so that n is the greatest size of the window.
 *
 * A node is on the left (right) spine if it is on the path from the root to the oldest (newest) leaf; the root is on both.
 * Invariants, after each operation:
 *   - B1: entries are in order of time, of equal times in order of arrival;
 *   - B2: all leaves are equally deep, and every node but the root has from 3 to 7 entries;
 *   - B3: a node on no spine holds the aggregate of all entries in its subtree;
 *   - B4: the root holds the aggregate of all entries but those of its first and last child's subtrees;
 *   - B5: any other left (right) spine node holds the aggregate of its subtree without its first (last) child's, followed
 *     (preceded) by its parent's aggregate unless the parent is the root.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "Optimal and General Out-of-Order Sliding-Window Aggregation", VLDB 2019, sections
 *   4 and 5
 */
final class Fiba[S] private[core] (ring: RingStates[S]) extends SlotAlgorithm[S](ring) {
  private[this] val slots = new SlotPool(ring)
  private[this] var freeNodes: FibaNode = null
  private[this] var pending: Int = slots.take()
  private[algorithms] var root: FibaNode = newNode(leaf = true, left = true, right = true)
  private[this] val oldest: FibaNode = root
  private[this] var newest: FibaNode = root
  private[this] val aggregates = new FibaAggregates(ring)
  refresh(root)

  def oldestTime: Long = oldest.time(0)

  def newestTime: Long = newest.time(newest.entries - 1)

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def makeRoom(): Unit = ()

  private[core] override def slotForInsert: Int = ring.slot(pending)

  private[core] override def insertLifted(): Unit = insertLifted(if (size == 0) 0L else newestTime)

  /** Adds the element whose state is in `slotForInsert`, after all elements with times up to `time`. */
  private[core] def insertLifted(time: Long): Unit = {
    val next = slots.take()
    val leaf = leafFor(time)
    val last = leaf.entries
    leaf.insert(leaf.indexAfter(time), time, pending, null) // B1
    if ((leaf eq newest) && leaf.value(last) == pending && last < FibaNode.MaxEntries)
      states.combine(ring.slot(leaf.agg), ring.slot(leaf.agg), ring.slot(pending)) // B4, B5
    else {
      var node = leaf
      while (node.entries > FibaNode.MaxEntries) node = split(node) // B2
      refresh(node)
    }
    pending = next
    end += 1
  }

  private[core] override def evict(): Unit = {
    slots.give(oldest.value(0))
    oldest.removeFirst()
    front += 1
    var node = oldest
    while (!node.isRoot && node.entries < FibaNode.MinEntries) node = borrowOrMerge(node) // B2
    if (node.isRoot && node.entries == 0 && !node.isLeaf) {
      root = node.child(0)
      root.parent = null
      giveNode(node)
      root.leftSpine = true
      root.rightSpine = true
      node = root
    }
    refresh(node)
  }

  private[core] override def answer(): Int =
    if (root.isLeaf) ring.slot(root.agg)
    else {
      states.combine(States.Result, ring.slot(oldest.agg), ring.slot(root.agg)) // B4, B5
      states.combine(States.Result, States.Result, ring.slot(newest.agg))
      States.Result
    }

  /** The leaf for an entry with `time`. The search starts at the newest leaf. */
  private def leafFor(time: Long): FibaNode = {
    var node = newest
    while (!node.isRoot && (node.entries == 0 || time < node.time(0))) node = node.parent
    while (!node.isLeaf) node = node.child(node.indexAfter(time))
    node
  }

  /** Splits an overflowing node in two and moves its middle entry to the parent. Returns the parent. */
  private def split(node: FibaNode): FibaNode = {
    val middle = FibaNode.MinArity
    if (node.isRoot) {
      root = newNode(leaf = false, left = true, right = true)
      root.setChild(0, node)
      node.rightSpine = false
      val right = newNode(node.isLeaf, left = false, right = true)
      splitInto(node, right, middle, root, 0)
      if (newest eq node) newest = right
    } else {
      val right = newNode(node.isLeaf, left = false, right = node.rightSpine)
      node.rightSpine = false
      splitInto(node, right, middle, node.parent, node.parent.indexOf(node))
      if (newest eq node) newest = right
    }
    node.parent
  }

  private def splitInto(node: FibaNode, right: FibaNode, middle: Int, parent: FibaNode, index: Int): Unit = {
    right.append(node, middle + 1)
    parent.insert(index, node.time(middle), node.value(middle), right)
    node.truncate(middle)
    if (!node.leftSpine) aggregates.ofSubtree(node) // B3
    if (!right.rightSpine) aggregates.ofSubtree(right) // B3
  }

  /** Refills `node`, its parent's first child, from the second child, or merges the two. Returns the parent. */
  private def borrowOrMerge(node: FibaNode): FibaNode = {
    val parent = node.parent
    val sibling = parent.child(1)
    node.insert(node.entries, parent.time(0), parent.value(0), sibling.child(0))
    if (sibling.entries > FibaNode.MinEntries) {
      parent.setEntry(0, sibling.time(0), sibling.value(0))
      sibling.removeFirst()
      if (!sibling.rightSpine) aggregates.ofSubtree(sibling) // B3
    } else {
      node.append(sibling, 0)
      node.rightSpine = sibling.rightSpine
      parent.removeFirstKeepingChild()
      if (newest eq sibling) newest = node
      giveNode(sibling)
    }
    parent
  }

  /** Restores B3, B4 and B5 for `changed`, its ancestors and the spine nodes below it. */
  private def refresh(changed: FibaNode): Unit = {
    var node = changed
    while (!node.leftSpine && !node.rightSpine) {
      aggregates.ofSubtree(node) // B3
      node = node.parent
    }
    aggregates.onSpine(node)
    if (!node.isLeaf) {
      if (node.leftSpine) leftSpineFrom(node.child(0))
      if (node.rightSpine) rightSpineFrom(node.lastChild)
    }
  }

  private def leftSpineFrom(top: FibaNode): Unit = {
    var node = top
    while (node != null) {
      aggregates.onSpine(node) // B5
      node = node.child(0)
    }
  }

  private def rightSpineFrom(top: FibaNode): Unit = {
    var node = top
    while (node != null) {
      aggregates.onSpine(node) // B5
      node = if (node.isLeaf) null else node.lastChild
    }
  }

  private def newNode(leaf: Boolean, left: Boolean, right: Boolean): FibaNode =
    if (freeNodes == null) new FibaNode(slots.take()).reset(leaf, left, right)
    else {
      val node = freeNodes
      freeNodes = node.parent
      node.reset(leaf, left, right)
    }

  private def giveNode(node: FibaNode): Unit = {
    node.reset(leaf = true, left = false, right = false)
    node.parent = freeNodes
    freeNodes = node
  }
}
