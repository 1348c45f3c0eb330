package org.slidewise.core.summaries

/**
 * Format of stored summaries: a byte for the version, a byte for the kind of summary, the parameters in whole bytes, and the
 * packed state.
 *
 * A release reads every version from 1 to its own. The number of a kind is never reused.
 *
 * '''Untrusted bytes.''' A reader either returns a summary that keeps the invariants of its class on which later calls rely, or
 * throws an `IllegalArgumentException`. It takes a number of steps linear in the length of the bytes, and allocates at most
 * [[AllocationPerByte]] bytes for each of them, [[AllocationOfAny]] bytes, and the arrays that an empty summary of the stored
 * parameters has, which [[Arguments.MaxHeap]] limits.
 */
private[summaries] object Format {
  final val Version = 1

  final val Count = 1
  final val AdditiveSum = 2
  final val RangeSum = 3
  final val ExactCount = 4
  final val ExactSum = 5
  final val ExponentialHistogram = 6
  final val DeterministicWave = 7
  final val DyadicDigest = 8
  final val SplittableHistogram = 9

  /** The most that a reader allocates for each byte that it reads. */
  final val AllocationPerByte = 256

  /** The most that a reader allocates for bytes of any length. */
  final val AllocationOfAny: Long = 64L << 10

  private val names = Map(
    Count -> "AdditiveCount",
    AdditiveSum -> "AdditiveSum",
    RangeSum -> "RangeSum",
    ExactCount -> "ExactCount",
    ExactSum -> "ExactSum",
    ExponentialHistogram -> "ExponentialHistogram",
    DeterministicWave -> "DeterministicWave",
    DyadicDigest -> "DyadicDigest",
    SplittableHistogram -> "SplittableHistogram"
  )

  /** A writer that has written the version and the kind. */
  def writer(kind: Int): BitWriter = {
    val out = new BitWriter
    out.write(Version, 8)
    out.write(kind, 8)
    out
  }

  /** Applies `read` to `bytes`, which must hold a summary of the kind `wanted`. */
  def read[S](bytes: Array[Byte], wanted: Int)(read: BitReader => S): S = {
    val in = new BitReader(bytes)
    readKind(in, wanted)
    try {
      val summary = read(in)
      check(in.left < 8)
      summary
    } catch {
      case _: IndexOutOfBoundsException | _: ArithmeticException | _: NegativeArraySizeException => damaged()
    }
  }

  /** Fails if the bytes violate an invariant. */
  def check(holds: Boolean): Unit = if (!holds) damaged()

  def damaged(): Nothing =
    throw new IllegalArgumentException("bytes is damaged: it must be a summary as toBytes made it")

  private def readKind(in: BitReader, wanted: Int): Unit = {
    val version = in.read(8).toInt
    if (version < 1 || version > Version)
      throw new IllegalArgumentException(
        s"bytes has format version $version: this release reads versions 1 to $Version"
      )
    val kind = in.read(8).toInt
    if (kind != wanted)
      throw new IllegalArgumentException(
        s"bytes holds ${names.getOrElse(kind, s"an unknown kind of summary ($kind)")}: it must hold ${names(wanted)}"
      )
  }
}
