package org.slidewise.spark.execution.columns

import org.apache.spark.sql.types._

import org.slidewise.spark.execution.blocks.BlockLayout

/**
 * Converts the words of a [[FieldVector]] to the words that rows hold for values of a type, and back.
 *
 * A row holds a narrow value in the first bytes of its word, followed by zeros.
 */
final private[execution] class FieldWords(dataType: DataType) {
  private[this] val (unused, signed) = dataType match {
    case ByteType                                          => (56, true)
    case ShortType                                         => (48, true)
    case IntegerType | DateType | _: YearMonthIntervalType => (32, true)
    case FloatType                                         => (32, false)
    case BooleanType                                       => (56, false)
    case _                                                 => (0, false)
  }

  def inRow(word: Long): Long = if (BlockLayout.isLittleEndian) word & -1L >>> unused else word << unused

  def ofRow(word: Long): Long =
    if (!BlockLayout.isLittleEndian) { if (signed) word >> unused else word >>> unused }
    else if (signed) word << unused >> unused
    else word
}
