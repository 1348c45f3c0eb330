package org.slidewise.core.algorithms

/** Node of [[Fiba]]'s B-tree: entries in order of time, and, if it is no leaf, the children between and around them. */
private[algorithms] final class FibaNode(val agg: Int) {
  import FibaNode.MaxEntries

  // Entries begin at `first`, so that the oldest leaf removes its first entry without moving the others. The arrays have room
  // for one entry above the maximum, until an overflowing node is split.
  private[this] var first: Int = 0
  private[this] val times = new Array[Long](2 * (MaxEntries + 1))
  private[this] val values = new Array[Int](2 * (MaxEntries + 1))
  private[this] val nodes = new Array[FibaNode](MaxEntries + 2)
  var parent: FibaNode = null
  var entries: Int = 0
  var isLeaf, leftSpine, rightSpine = true

  def time(i: Int): Long = times(first + i)
  def value(i: Int): Int = values(first + i)
  def child(i: Int): FibaNode = nodes(i)
  def isRoot: Boolean = parent == null
  def lastChild: FibaNode = nodes(entries)

  def reset(leaf: Boolean, left: Boolean, right: Boolean): FibaNode = {
    parent = null
    first = 0
    entries = 0
    isLeaf = leaf
    leftSpine = left
    rightSpine = right
    java.util.Arrays.fill(nodes.asInstanceOf[Array[AnyRef]], null)
    this
  }

  /** The number of entries with times up to `time`: the index for a new entry of that time. */
  def indexAfter(time: Long): Int = {
    var i = entries
    while (i > 0 && this.time(i - 1) > time) i -= 1
    i
  }

  def indexOf(node: FibaNode): Int = {
    var i = 0
    while (nodes(i) ne node) i += 1
    i
  }

  def setChild(i: Int, node: FibaNode): Unit = {
    nodes(i) = node
    if (node != null) node.parent = this
  }

  def setEntry(i: Int, time: Long, value: Int): Unit = {
    times(first + i) = time
    values(first + i) = value
  }

  /** Inserts an entry at `i`, and the child right of it. */
  def insert(i: Int, time: Long, value: Int, right: FibaNode): Unit = {
    if (first + entries == times.length) moveToStart()
    if (i < entries) {
      System.arraycopy(times, first + i, times, first + i + 1, entries - i)
      System.arraycopy(values, first + i, values, first + i + 1, entries - i)
    }
    if (!isLeaf) {
      System.arraycopy(nodes, i + 1, nodes, i + 2, entries - i)
      setChild(i + 1, right)
    }
    setEntry(i, time, value)
    entries += 1
  }

  /** Removes entry 0 and the child left of it. */
  def removeFirst(): Unit = {
    first += 1
    if (!isLeaf) {
      System.arraycopy(nodes, 1, nodes, 0, entries)
      nodes(entries) = null
    }
    entries -= 1
  }

  /** Removes entry 0 and the child right of it. */
  def removeFirstKeepingChild(): Unit = {
    val child = nodes(0)
    removeFirst()
    nodes(0) = child
  }

  /** Appends the entries of `other` from `from` on, with the children around them. */
  def append(other: FibaNode, from: Int): Unit = {
    moveToStart()
    if (!isLeaf) setChild(entries, other.child(from))
    var i = from
    while (i < other.entries) {
      setEntry(entries, other.time(i), other.value(i))
      entries += 1
      if (!isLeaf) setChild(entries, other.child(i + 1))
      i += 1
    }
  }

  private def moveToStart(): Unit = {
    System.arraycopy(times, first, times, 0, entries)
    System.arraycopy(values, first, values, 0, entries)
    first = 0
  }

  /** Removes the entries from `from` on, and the children right of them. */
  def truncate(from: Int): Unit = {
    if (!isLeaf) java.util.Arrays.fill(nodes.asInstanceOf[Array[AnyRef]], from + 1, entries + 1, null)
    entries = from
  }
}

private[algorithms] object FibaNode {

  /** The smallest number of children of an inner node other than the root. */
  final val MinArity = 4
  final val MinEntries = MinArity - 1
  final val MaxEntries = 2 * MinArity - 1
}
