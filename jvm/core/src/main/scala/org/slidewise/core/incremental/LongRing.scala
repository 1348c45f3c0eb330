package org.slidewise.core.incremental

/** Double-ended queue of longs with access by index from the oldest, in an array that doubles if it is full. */
private[incremental] final class LongRing {
  private var slots = new Array[Long](16)
  private var head = 0
  private var count = 0

  def size: Int = count

  /** The `i`-th oldest, for `0 <= i < size`. */
  def apply(i: Int): Long = slots(slot(i))
  def update(i: Int, value: Long): Unit = slots(slot(i)) = value

  def add(value: Long): Unit = {
    if (count == slots.length) grow()
    count += 1
    this(count - 1) = value
  }

  def removeOldest(): Unit = {
    head = slot(1)
    count -= 1
  }

  def removeNewest(): Unit = count -= 1

  private def slot(i: Int): Int = (head + i) & (slots.length - 1)

  private def grow(): Unit = {
    val wider = new Array[Long](slots.length * 2)
    for (i <- 0 until count) wider(i) = this(i)
    slots = wider
    head = 0
  }
}
