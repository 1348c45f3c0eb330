package org.slidewise.core.multisets

import java.util.Arrays

/**
 * Multiset of longs that selects the element of a rank. The longs need not be known before they come: where they are, the
 * cursors of [[OrderStatistics]] over their codes are faster.
 *
 * A treap: a binary search tree of the values, and a heap of random priorities, so that its shape depends on neither the values
 * nor their order. Of the balanced trees it needs the least code to remove. Source: Seidel and Aragon, Randomized Search Trees,
 * Algorithmica 16, 1996.
 *
 * '''Cost.''' O(log u) expected for each `add`, `remove` and `valueAt`, with u distinct values; `clear` takes constant time.
 * Memory: [[RankedMultiset.BytesAValue]] for each value that there is room for. The room doubles, and is kept by `clear`. Not safe
 * for concurrent use.
 *
 * Invariants, for each node:
 *   - (R1) the values to its left are less, those to its right greater;
 *   - (R2) its priority is at least those of its children;
 *   - (R3) its size is the number of elements in it and below it.
 */
final class RankedMultiset {
  import RankedMultiset._

  // By node, from 1 on; node 0 stands for none and has a size of 0.
  private[this] var values = new Array[Long](LeastRoom + 1)
  private[this] var counts = new Array[Long](LeastRoom + 1)
  private[this] var sizes = new Array[Long](LeastRoom + 1)
  private[this] var lefts = new Array[Int](LeastRoom + 1)
  private[this] var rights = new Array[Int](LeastRoom + 1)
  private[this] var priorities = new Array[Int](LeastRoom + 1)

  private[this] var root = 0
  private[this] var used = 0 // nodes that have been in the tree
  private[this] var free = 0 // the first of those that are not any more; the next is to its left
  private[this] var random = Seed

  /** The number of elements. */
  def size: Long = sizes(root)

  /** Whether the next new value makes the room double. */
  def isFull: Boolean = free == 0 && used == room

  /** The number of distinct values for which there is room. */
  def room: Int = values.length - 1

  /** Removes all elements. */
  def clear(): Unit = {
    root = 0
    used = 0
    free = 0
  }

  /** Adds `times` elements `value`, at least one. */
  def add(value: Long, times: Long): Unit = {
    require(times > 0, s"times must be 1 or more, but is $times")
    if (nodeOf(value) == 0) root = insert(root, newNode(value))
    change(value, times)
  }

  /**
   * Removes `times` elements `value`, at least one.
   *
   * @throws java.lang.IllegalArgumentException
   *   if there are fewer
   */
  def remove(value: Long, times: Long): Unit = {
    val node = nodeOf(value)
    val count = if (node == 0) 0L else counts(node)
    require(
      0 < times && times <= count,
      s"times must be from 1 to $count for the value $value, but is $times"
    )
    change(value, -times)
    if (count == times) unlink(value, node)
  }

  /**
   * The element that `rank` others precede.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `rank` is not from 0 until `size`
   */
  def valueAt(rank: Long): Long = {
    require(0 <= rank && rank < size, s"rank must be from 0 until $size, but is $rank")
    var node = root
    var left = rank
    var found = false
    while (!found) {
      val before = sizes(lefts(node))
      if (left < before) node = lefts(node)
      else if (left < before + counts(node)) found = true
      else {
        left -= before + counts(node)
        node = rights(node)
      }
    }
    values(node)
  }

  private def nodeOf(value: Long): Int = {
    var node = root
    while (node != 0 && values(node) != value) node = next(node, value)
    node
  }

  private def next(node: Int, value: Long): Int = if (value < values(node)) lefts(node) else rights(node)

  /** Changes the count of a value of the tree. */
  private def change(value: Long, by: Long): Unit = {
    var node = root
    while (values(node) != value) {
      sizes(node) += by
      node = next(node, value)
    }
    sizes(node) += by
    counts(node) += by
  }

  private def newNode(value: Long): Int = {
    val node = if (free != 0) free else used + 1
    if (free != 0) free = lefts(free)
    else {
      if (used == room) grow()
      used += 1
    }
    values(node) = value
    counts(node) = 0L
    sizes(node) = 0L
    lefts(node) = 0
    rights(node) = 0
    priorities(node) = nextPriority()
    node
  }

  // Marsaglia's xorshift.
  private def nextPriority(): Int = {
    random ^= random << 13
    random ^= random >>> 7
    random ^= random << 17
    (random >>> 32).toInt
  }

  private def grow(): Unit = {
    val length = math.min(2L * values.length, Int.MaxValue - 8L).toInt
    values = Arrays.copyOf(values, length)
    counts = Arrays.copyOf(counts, length)
    sizes = Arrays.copyOf(sizes, length)
    lefts = Arrays.copyOf(lefts, length)
    rights = Arrays.copyOf(rights, length)
    priorities = Arrays.copyOf(priorities, length)
  }

  /** Puts a node without elements below `at`, and returns the node that is in the place of `at` then. */
  private def insert(at: Int, node: Int): Int =
    if (at == 0) node
    else if (priorities(node) > priorities(at)) {
      split(at, node)
      node
    } else {
      if (values(node) < values(at)) lefts(at) = insert(lefts(at), node)
      else rights(at) = insert(rights(at), node)
      at
    }

  /**
   * Splits the subtree `at`: its nodes that are less than `node` become the left child of `node`, and its other nodes the right
   * child.
   */
  private def split(at: Int, node: Int): Unit = {
    val (less, greater) = halves(at, values(node))
    lefts(node) = less
    rights(node) = greater
    resize(node)
  }

  private def halves(at: Int, value: Long): (Int, Int) =
    if (at == 0) (0, 0)
    else if (values(at) < value) {
      val (less, greater) = halves(rights(at), value)
      rights(at) = less
      resize(at)
      (at, greater)
    } else {
      val (less, greater) = halves(lefts(at), value)
      lefts(at) = greater
      resize(at)
      (less, at)
    }

  /** Takes a node without elements out of the tree. */
  private def unlink(value: Long, node: Int): Unit = {
    val child = merge(lefts(node), rights(node))
    if (root == node) root = child
    else {
      var parent = root
      while (next(parent, value) != node) parent = next(parent, value)
      if (lefts(parent) == node) lefts(parent) = child else rights(parent) = child
    }
    lefts(node) = free
    free = node
  }

  private def merge(less: Int, greater: Int): Int =
    if (less == 0) greater
    else if (greater == 0) less
    else if (priorities(less) > priorities(greater)) {
      rights(less) = merge(rights(less), greater)
      resize(less)
      less
    } else {
      lefts(greater) = merge(less, lefts(greater))
      resize(greater)
      greater
    }

  private def resize(node: Int): Unit = sizes(node) = sizes(lefts(node)) + counts(node) + sizes(rights(node))
}

object RankedMultiset {

  /** The bytes for each distinct value that there is room for. */
  final val BytesAValue: Long = 3 * 8 + 3 * 4

  private val LeastRoom = 15
  private val Seed = 0x9e3779b97f4a7c15L
}
