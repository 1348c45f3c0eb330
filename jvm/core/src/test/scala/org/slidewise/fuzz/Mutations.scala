package org.slidewise.fuzz

import java.lang.management.ManagementFactory
import java.nio.{ByteBuffer, ByteOrder}
import scala.concurrent.duration.{Duration, DurationInt}
import scala.util.Random

/**
 * Random damage to stored bytes: flipped bits, cut and added bytes, numbers replaced by extreme ones, parts of other valid
 * inputs, and noise. The same seed makes the same inputs.
 *
 * @param valid
 *   what splices are taken from
 * @param header
 *   how many bytes at the beginning mostly stay as they are, since damage to them is found at once
 */
final class Mutations(seed: Long, valid: IndexedSeq[Array[Byte]], header: Int = 0) {
  private val random = new Random(seed)

  /** `bytes` with up to three kinds of damage. */
  def next(bytes: Array[Byte]): Array[Byte] = {
    val kept = if (random.nextInt(8) == 0) 0 else header
    val times = if (random.nextInt(3) == 0) 1 + random.nextInt(3) else 1
    bytes.take(kept) ++ (1 to times).foldLeft(bytes.drop(kept))((damaged, _) => damage(damaged))
  }

  private def damage(bytes: Array[Byte]): Array[Byte] = if (bytes.isEmpty) noise(random.nextInt(32))
  else
    random.nextInt(12) match {
      case 0 | 1 | 2 => flipped(bytes)
      case 3         => bytes.take(random.nextInt(bytes.length))
      case 4         => bytes ++ noise(1 + random.nextInt(32))
      case 5 | 6 | 7 => overwritten(bytes, extreme)
      case 8         => overwritten(bytes, noise(1 + random.nextInt(8)))
      case 9         => spliced(bytes, valid(random.nextInt(valid.size)))
      case 10        => moved(bytes)
      case 11        => bytes.take(random.nextInt(math.min(8, bytes.length))) ++ noise(random.nextInt(64))
    }

  private def noise(length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    random.nextBytes(bytes)
    bytes
  }

  private def flipped(bytes: Array[Byte]): Array[Byte] = {
    val copy = bytes.clone
    for (_ <- 0 to random.nextInt(4)) {
      val at = random.nextInt(copy.length)
      copy(at) = (copy(at) ^ (1 << random.nextInt(8))).toByte
    }
    copy
  }

  private def overwritten(bytes: Array[Byte], part: Array[Byte]): Array[Byte] = {
    val copy = bytes.clone
    val at = random.nextInt(copy.length)
    System.arraycopy(part, 0, copy, at, math.min(part.length, copy.length - at))
    copy
  }

  /** A number at the end of a range, as an integer of any width and byte order, as a double, or of variable length. */
  private def extreme: Array[Byte] = {
    val number = Mutations.Extremes(random.nextInt(Mutations.Extremes.size))
    val order = if (random.nextBoolean()) ByteOrder.BIG_ENDIAN else ByteOrder.LITTLE_ENDIAN
    val out = ByteBuffer.allocate(8).order(order)
    random.nextInt(5) match {
      case 0 => Array(number.toByte)
      case 1 => out.putInt(number.toInt).array.take(4)
      case 2 => out.putLong(number).array
      case 3 =>
        out.putDouble(Mutations.ExtremeDoubles(random.nextInt(Mutations.ExtremeDoubles.size))).array
      case 4 =>
        val septets = Iterator.iterate(number)(_ >>> 7).takeWhile(_ != 0).map(n => (n & 0x7f).toInt).toArray
        septets.zipWithIndex.map { case (n, i) => (if (i == septets.length - 1) n else n | 0x80).toByte }
    }
  }

  private def spliced(bytes: Array[Byte], other: Array[Byte]): Array[Byte] =
    bytes.take(random.nextInt(bytes.length)) ++ other.drop(random.nextInt(other.length + 1))

  /** A piece repeated, or left out. */
  private def moved(bytes: Array[Byte]): Array[Byte] = {
    val (from, length) = (random.nextInt(bytes.length), random.nextInt(16))
    if (random.nextBoolean()) bytes.take(from + length) ++ bytes.drop(from)
    else bytes.take(from) ++ bytes.drop(from + length)
  }
}

object Mutations {
  private val Extremes: IndexedSeq[Long] =
    IndexedSeq(0L, 1L, -1L, 127L, 255L, Short.MaxValue.toLong, Int.MaxValue - 8L, Int.MaxValue.toLong) ++
      IndexedSeq(Int.MinValue.toLong, 1L << 32, Long.MaxValue, Long.MinValue, 1L << 30, 1L << 40, 1L << 53) ++
      IndexedSeq(1L << 60, 1L << 61, 1L << 62, (1L << 62) - 1, -(1L << 61), -4L, -8L)

  private val ExtremeDoubles: IndexedSeq[Double] = IndexedSeq(0.0, -0.0, 1.0, Double.NaN, Double.MaxValue) ++
    IndexedSeq(Double.PositiveInfinity, Double.MinPositiveValue, -1.0, 1e-6, 1.0 / (1 << 20), 0.999999, 1e300)

  /** The number of damaged inputs of a suite. */
  def count: Int = sys.env.getOrElse("SLIDEWISE_MUTATIONS", "20000").toInt

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  /** Runs `body` and returns its result and the bytes that it allocated on the heap. */
  def allocating[A](body: => A): (A, Long) = {
    val id = Thread.currentThread.getId
    val before = threads.getThreadAllocatedBytes(id)
    val result = body
    (result, threads.getThreadAllocatedBytes(id) - before)
  }
}

/** A suite whose tests take minutes with the mutations of long runs. */
abstract class MutationSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 30.minutes
}
