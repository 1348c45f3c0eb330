package org.slidewise.core.summaries

/** Argument checks of the summaries. */
private[summaries] object Arguments {

  final val MaxWindow = 1L << 40

  /** The greatest number of bits of state of one summary: 128 MiB. */
  final val MaxBits = 1L << 30

  /** The greatest size of the arrays that a summary has from creation on, whatever its state: 128 MiB. */
  final val MaxHeap = 1L << 27

  /** 2^960^: the greatest real number of which a sum over any window is finite. */
  final val MaxReal: Double = java.lang.Math.scalb(1.0, 960)

  /** 2^-960^: the least upper bound whose units, and the number of them in one, are not rounded to 0 or infinity. */
  final val LeastReal: Double = java.lang.Math.scalb(1.0, -960)

  def checkWindow(window: Long): Unit =
    if (window < 1 || window > MaxWindow) outside("window", window, "from 1 to 2^40 elements")

  def checkEpsilon(epsilon: Double): Unit =
    if (!(epsilon > 0 && epsilon < 1)) outside("epsilon", epsilon, "above 0 and below 1")

  /** A relative error: structures grow with 1 / ε. */
  def checkRelative(epsilon: Double): Unit =
    if (!(epsilon >= 1.0 / (1 << 20) && epsilon < 1)) outside("epsilon", epsilon, "from 2^-20 and below 1")

  /** The arguments of a sum with a relative error. */
  def checkRelativeSum(window: Long, upperBound: Long, epsilon: Double): Unit = {
    checkWindow(window)
    checkRelative(epsilon)
    val greatest = (1L << 60) / window
    if (upperBound < 1 || upperBound > greatest)
      outside("upperBound", upperBound, s"from 1 to $greatest with a window of $window")
  }

  def checkUpperBound(upperBound: Long): Unit =
    if (upperBound < 1 || upperBound > (1L << 53)) outside("upperBound", upperBound, "from 1 to 2^53")

  def checkUpperBound(upperBound: Double): Unit =
    if (!(upperBound >= LeastReal && upperBound <= MaxReal))
      outside("upperBound", upperBound, "from 2^-960 to 2^960")

  def checkBits(bits: Double, window: Long, epsilon: Double): Unit =
    if (bits > MaxBits)
      throw new IllegalArgumentException(
        s"epsilon is $epsilon: with a window of $window it needs ${math.ceil(bits / 8e6).toLong} MB of state and at most " +
          s"${MaxBits / 8000000} MB is allowed; take a larger epsilon or a shorter window"
      )

  def checkHeap(bytes: Long, window: Long, epsilon: Double): Unit =
    if (bytes > MaxHeap)
      throw new IllegalArgumentException(
        s"epsilon is $epsilon: with a window of $window it needs ${bytes >> 20} MiB of memory and at most ${MaxHeap >> 20} " +
          "MiB is allowed; take a larger epsilon or a shorter window"
      )

  def outside(name: String, value: Any, allowed: String): Nothing =
    throw new IllegalArgumentException(s"$name is $value: it must be $allowed")

  /** The number of bits for values from 0 to `greatest`. */
  def width(greatest: Long): Int = 64 - java.lang.Long.numberOfLeadingZeros(greatest)

  def ceilDiv(a: Long, b: Long): Long = (a + b - 1) / b
}
