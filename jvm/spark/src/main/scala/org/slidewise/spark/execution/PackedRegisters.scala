package org.slidewise.spark.execution

/** Ten registers of six bits in a word, as Spark's HyperLogLog++ has them. */
private[execution] object PackedRegisters {
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
}
