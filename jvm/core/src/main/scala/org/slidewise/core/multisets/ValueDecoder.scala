package org.slidewise.core.multisets

/** Converts the values of a [[ColumnDictionary]] to doubles. Implementations are free of side effects and thread-safe. */
abstract class ValueDecoder {
  def apply(value: Long): Double
}

object ValueDecoder {

  /** Values that are doubles, encoded by [[OrderedDoubles]]. */
  object Doubles extends ValueDecoder {
    def apply(value: Long): Double = OrderedDoubles.toDouble(value)
  }

  /** Values that are longs; the nearest double. */
  object Longs extends ValueDecoder {
    def apply(value: Long): Double = value.toDouble
  }

  /**
   * Values that are decimals without their point; the nearest double.
   *
   * @param scale
   *   the number of digits after the point; less than 0 for decimals that are multiples of a power of ten
   */
  def decimals(scale: Int): ValueDecoder = new ValueDecoder {
    private[this] val isExact = 0 <= scale && scale <= ExactPower
    private[this] val power = math.pow(10.0, scale.toDouble)

    def apply(value: Long): Double =
      // One division of exact numbers rounds once.
      if (isExact && -ExactLong <= value && value <= ExactLong) value.toDouble / power
      else java.math.BigDecimal.valueOf(value, scale).doubleValue
  }

  /** Powers of ten up to this one are doubles. */
  private val ExactPower = 22
  private val ExactLong = 1L << 53
}
