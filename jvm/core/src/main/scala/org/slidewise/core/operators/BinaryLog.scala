package org.slidewise.core.operators

/**
 * Binary logarithm and its inverse, for inlining into loops: no calls, no branch taken in the common case, short dependency
 * chains. The error is at most about one unit in the last place of the result, or of 1 if that is greater. Exact for powers of
 * two and for whole exponents.
 *
 * Both look up the nearest of 256 parts of an octave, and correct the remainder of at most 2^-9^ by a polynomial.
 */
private[operators] object BinaryLog {
  private final val Bits = 8
  private final val Parts = 1 << Bits
  private final val Ln2 = 0.6931471805599453
  private final val MantissaBits = 52
  private final val One = 0x3ff0000000000000L
  private final val HalfPart = 1L << (MantissaBits - Bits - 1)
  private final val MantissaMask = (1L << MantissaBits) - 1
  private final val PartMask = -1L << (MantissaBits - Bits)

  /** Adding it rounds to a multiple of 1 / Parts; the lowest bits of the sum are then that multiple. */
  private final val Rounder = 3.0 * (1L << (MantissaBits - Bits - 1))

  /** A table by part: at 2 i the inverse of 1 + i / Parts, the centre of the i-th part, and at 2 i + 1 its logarithm. */
  private[this] val parts: Array[Double] = Array.tabulate(2 * Parts + 2) { j =>
    if (j % 2 == 0) Parts.toDouble / (Parts + j / 2)
    else if (j / 2 == Parts) 1.0
    else StrictMath.log1p((j / 2).toDouble / Parts) / Ln2
  }
  private[this] val powers: Array[Double] = Array.tabulate(Parts)(i => StrictMath.pow(2, i.toDouble / Parts))

  /** The logarithm of `x` to base 2: negative infinity for 0, NaN for negative numbers. */
  def log2(x: Double): Double = {
    val bits = java.lang.Double.doubleToRawLongBits(x)
    val exponent = (bits >>> MantissaBits).toInt // and the sign above it
    if (exponent > 0 && exponent < 2047) {
      val mantissa = bits & MantissaMask
      val nearest = mantissa + HalfPart
      val part = (nearest >>> (MantissaBits - Bits)).toInt << 1
      val from = java.lang.Double.longBitsToDouble((nearest & PartMask) + One)
      val u = (java.lang.Double.longBitsToDouble(mantissa | One) - from) * parts(part)
      // The series of log2(1 + u).
      val u2 = u * u
      val rest = u * (1 / Ln2) +
        u2 * ((-0.5 / Ln2 + u * (1 / (3 * Ln2))) + u2 * (-0.25 / Ln2 + u * (1 / (5 * Ln2))))
      (exponent - 1023 + parts(part + 1)) + rest
    } else math.log(x) / Ln2
  }

  /** 2 to the power of `y`. */
  def exp2(y: Double): Double =
    if (y > -1022 && y < 1023) {
      val rounded = y + Rounder
      val inParts = java.lang.Double.doubleToRawLongBits(rounded)
      // The series of 2^v, less 1.
      val v = y - (rounded - Rounder)
      val v2 = v * v
      val rest =
        v * Ln2 + v2 * ((Ln2 * Ln2 / 2 + v * (Ln2 * Ln2 * Ln2 / 6)) + v2 * (Ln2 * Ln2 * Ln2 * Ln2 / 24))
      val power = powers(inParts.toInt & (Parts - 1))
      val scaled = java.lang.Double.doubleToRawLongBits(power) + (inParts >> Bits << MantissaBits)
      val at = java.lang.Double.longBitsToDouble(scaled)
      at + at * rest
    } else math.pow(2, y)
}
