package org.slidewise.spark.execution.sorting

import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/**
 * Numbers partition keys in the order in which they first appear: an open-addressing hash table with linear probing, over keys
 * whose bytes are stored back to back.
 *
 * Time: expected constant for each key. Allocates no object for a key. Memory: a copy of each key and 54 to 108 bytes, including
 * the memory of [[ranks]]. All of it is in [[bytes]]. Not safe for concurrent use.
 */
final private[execution] class GroupNumbers {
  import GroupNumbers._

  private[this] var slots =
    new Array[Long](FewestSlots) // a hash, and a number plus one; zero in an empty slot
  private[this] var places =
    new Array[Long](FewestSlots / 2) // by number: its key's chunk, and where it begins there
  private[this] var sizes = new Array[Int](FewestSlots / 2)
  private[this] val chunks = ArrayBuffer.empty[Array[Byte]]
  private[this] var used = 0 // bytes of the last chunk
  private[this] var allocated = 0L // bytes of all chunks
  private[this] var count = 0
  private[this] var fields = 0
  private[this] var last = -1

  def size: Int = count

  /** The memory held, in bytes. */
  def bytes: Long = allocated + slots.length * 8L + places.length * (12L + BytesOfRank)

  /** The number of a key. */
  def of(key: UnsafeRow): Int = {
    if (last < 0 || !isKey(last, key)) last = find(key)
    last
  }

  private def find(key: UnsafeRow): Int = {
    val hash = key.hashCode
    var at = hash & slots.length - 1
    while (slots(at) != 0L && !((slots(at) >>> 32).toInt == hash && isKey(numberIn(slots(at)), key)))
      at = at + 1 & slots.length - 1
    if (slots(at) != 0L) numberIn(slots(at)) else add(key, hash, at)
  }

  private def isKey(number: Int, key: UnsafeRow): Boolean = {
    val place = places(number)
    sizes(number) == key.getSizeInBytes && ByteArrayMethods.arrayEquals(
      chunks((place >>> 32).toInt),
      Platform.BYTE_ARRAY_OFFSET + place.toInt.toLong,
      key.getBaseObject,
      key.getBaseOffset,
      key.getSizeInBytes.toLong
    )
  }

  private def add(key: UnsafeRow, hash: Int, at: Int): Int = {
    val number = count
    if (number == places.length) {
      places = Arrays.copyOf(places, 2 * number)
      sizes = Arrays.copyOf(sizes, 2 * number)
    }
    fields = key.numFields
    places(number) = store(key)
    sizes(number) = key.getSizeInBytes
    slots(at) = hash.toLong << 32 | number + 1L
    count += 1
    if (2L * count > slots.length) grow()
    number
  }

  private def store(key: UnsafeRow): Long = {
    val size = key.getSizeInBytes
    if (chunks.isEmpty || chunks.last.length - used < size) {
      val length = if (chunks.isEmpty) FirstChunk else math.min(2 * chunks.last.length, LargestChunk)
      chunks += new Array[Byte](math.max(length, size))
      allocated += chunks.last.length
      used = 0
    }
    Platform.copyMemory(
      key.getBaseObject,
      key.getBaseOffset,
      chunks.last,
      Platform.BYTE_ARRAY_OFFSET + used.toLong,
      size.toLong
    )
    val place = (chunks.size - 1L) << 32 | used
    used += size
    place
  }

  private def grow(): Unit = {
    val old = slots
    slots = new Array[Long](2 * old.length)
    var i = 0
    while (i < old.length) {
      if (old(i) != 0L) {
        var at = (old(i) >>> 32).toInt & slots.length - 1
        while (slots(at) != 0L) at = at + 1 & slots.length - 1
        slots(at) = old(i)
      }
      i += 1
    }
  }

  /** Points `into` to the key with a number. */
  def keyOf(number: Int, into: UnsafeRow): UnsafeRow = {
    val place = places(number)
    into.pointTo(
      chunks((place >>> 32).toInt),
      Platform.BYTE_ARRAY_OFFSET + place.toInt.toLong,
      sizes(number)
    )
    into
  }

  /** The rank of each key in `ordering`, by its number. */
  def ranks(ordering: Ordering[InternalRow]): Array[Int] = {
    val (left, right) = (new UnsafeRow(fields), new UnsafeRow(fields))
    val sorted = Array.tabulate(count)(Integer.valueOf)
    Arrays.sort(sorted, (a: Integer, b: Integer) => ordering.compare(keyOf(a, left), keyOf(b, right)))
    val ranks = new Array[Int](count)
    sorted.indices.foreach(rank => ranks(sorted(rank)) = rank)
    ranks
  }
}

private object GroupNumbers {
  private val FewestSlots = 128
  private val FirstChunk = 1 << 10
  private val LargestChunk = 1 << 20

  // A boxed number, a reference to it, half a reference while sorting, and a rank.
  private val BytesOfRank = 16L + 4L + 2L + 4L

  private def numberIn(slot: Long): Int = slot.toInt - 1
}
