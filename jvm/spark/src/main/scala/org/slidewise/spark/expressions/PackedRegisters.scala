package org.slidewise.spark.expressions

/** Ten registers of six bits in a word, as Spark's HyperLogLog++ has them. */
private[spark] object PackedRegisters {
  final val InAWord = 10
  private final val Width = 6

  // Every other register, and the bit above each of those.
  private final val Registers = 0x003f03f03f03f03fL
  private final val Above = 0x0040040040040040L

  /** For each register, the greater of the two; without a branch. */
  def greatest(a: Long, b: Long): Long =
    ofEveryOther(a & Registers, b & Registers) |
      ofEveryOther(a >>> Width & Registers, b >>> Width & Registers) << Width

  private def ofEveryOther(a: Long, b: Long): Long = {
    // No difference borrows from the next register: the bit above stays where a >= b.
    val notLess = ((a | Above) - b) & Above
    val mask = notLess - (notLess >>> Width)
    a & mask | b & ~mask
  }

  private final val TopBits = 0x0820820820820820L

  /**
   * Whether a register is above 31, for which a tally has no place. Several words can be checked at once if they are joined by
   * `|`.
   */
  def haveLarge(words: Long): Boolean = (words & TopBits) != 0L

  // How many registers are zero, above the sum of 2^(31 - register).
  private final val ZerosAt = 48
  private final val Unit = 31

  /** The tally of a register that is zero. */
  final val TallyOfZero: Long = 1L << ZerosAt | 1L << Unit

  private[this] val tallyOfTwo: Array[Long] = {
    def ofOne(register: Int) = if (register == 0) TallyOfZero else 1L << Unit >>> register
    Array.tabulate(1 << 2 * Width)(two => ofOne(two >>> Width) + ofOne(two & (1 << Width) - 1))
  }

  /** The tally of a word: its registers' part in an estimate. Tallies can be added up for at most 2^15^ registers. */
  def tally(word: Long): Long =
    ofTwo(word) + ofTwo(word >>> 2 * Width) + ofTwo(word >>> 4 * Width) + ofTwo(word >>> 6 * Width) +
      ofTwo(word >>> 8 * Width)

  private def ofTwo(word: Long): Long = tallyOfTwo(word.toInt & (1 << 2 * Width) - 1)

  /** The number of registers that are zero, given the tally. */
  def zeros(tally: Long): Double = (tally >>> ZerosAt).toDouble

  /** The sum of `2^-register`, given the tally; exact. */
  def harmonicSum(tally: Long): Double = (tally & (1L << ZerosAt) - 1).toDouble / (1L << Unit)
}
