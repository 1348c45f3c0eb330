package org.slidewise.spark.execution.sorting

import java.lang.Double.{doubleToRawLongBits, longBitsToDouble}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators.DoublePrefixComparator

import org.slidewise.spark.execution.blocks.{BlockDecoder, BlockLayout}
import org.slidewise.spark.execution.columns.FieldWords
import org.slidewise.spark.plan.StateTypes

/**
 * A column of a sorter whose values are derived from one field, without the rest of the row.
 *
 * @param field
 *   the field's place in a row
 * @param flip
 *   the bits to flip
 */
final private[sorting] class FieldColumn private (
    val field: Int,
    val flip: Long,
    form: FieldColumn.Form,
    words: FieldWords
) {
  import FieldColumn._

  /** Whether flipping bits of the column's values restores the field's words. */
  def isLossless: Boolean = form == Same

  /** Writes the value of `row` into the column, at row number `at`. */
  def read(row: UnsafeRow, columns: LongColumns, column: Int, at: Int): Unit =
    if (row.isNullAt(field)) columns.setNull(column, at)
    else {
      val word = words.ofRow(row.getLong(field))
      val value = form match {
        case Same         => word
        case ToDouble     => doubleToRawLongBits(word.toDouble)
        case DoublePrefix => DoublePrefixComparator.computePrefix(longBitsToDouble(word))
      }
      columns.set(column, at, value ^ flip)
    }

  /** Writes the values of a block's rows into the column, from row number `at` on. */
  def read(block: BlockDecoder, columns: LongColumns, column: Int, at: Int): Unit = {
    read(block, columns(column), at)
    if (block.anyNull(field)) readNulls(block, columns, column, at)
  }

  /** Writes the values of a block's rows from `at` on. The value of a null is undefined. */
  def read(block: BlockDecoder, values: Array[Long], at: Int): Unit = {
    // On big-endian machines, blocks hold narrow values in the form of rows.
    val found = if (BlockLayout.isLittleEndian) block.words(field) else block.words(field).map(words.ofRow)
    val count = block.count
    var row = 0
    form match {
      case Same =>
        while (row < count) {
          values(at + row) = found(row) ^ flip
          row += 1
        }
      case ToDouble =>
        while (row < count) {
          values(at + row) = doubleToRawLongBits(found(row).toDouble) ^ flip
          row += 1
        }
      case DoublePrefix =>
        while (row < count) {
          values(at + row) = DoublePrefixComparator.computePrefix(longBitsToDouble(found(row))) ^ flip
          row += 1
        }
    }
  }

  private def readNulls(block: BlockDecoder, columns: LongColumns, column: Int, at: Int): Unit = {
    var row = 0
    while (row < block.count) {
      if (block.isNull(field, row)) {
        columns.set(column, at + row, 0L)
        columns.setNull(column, at + row)
      }
      row += 1
    }
  }
}

private[sorting] object FieldColumn {

  /** The column of a field's own words; none if the type has no fixed size. */
  def of(field: Int, dataType: DataType): Option[FieldColumn] =
    if (UnsafeRow.isFixedLength(dataType)) Some(new FieldColumn(field, 0L, Same, new FieldWords(dataType)))
    else None

  /** Conversion of a field's words into a column's values, before bits are flipped. */
  sealed private[sorting] trait Form
  private case object Same extends Form
  private case object ToDouble extends Form
  private case object DoublePrefix extends Form

  /** The column of an expression's values; none if they cannot be derived from one field. */
  def of(value: Expression, flip: Long, input: Seq[Attribute]): Option[FieldColumn] = {
    def ofField(field: Expression, form: Form) = {
      val place = input.indexWhere(_.semanticEquals(field))
      if (place < 0) None else Some(new FieldColumn(place, flip, form, new FieldWords(field.dataType)))
    }
    value match {
      case SortPrefix(SortOrder(field: Attribute, _, _, _)) if isInteger(field.dataType) =>
        ofField(field, Same)
      case SortPrefix(SortOrder(field: Attribute, _, _, _)) if field.dataType == DoubleType =>
        ofField(field, DoublePrefix)
      case Cast(field: Attribute, LongType, _, _) if isIntegral(field.dataType)   => ofField(field, Same)
      case Cast(field: Attribute, DoubleType, _, _) if isIntegral(field.dataType) => ofField(field, ToDouble)
      case field: Attribute if isInteger(field.dataType) || field.dataType == DoubleType =>
        ofField(field, Same)
      case _ => None
    }
  }

  private def isIntegral(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }

  /** Whether rows store values of the type as integers. */
  private def isInteger(dataType: DataType): Boolean = dataType match {
    case DateType | TimestampType | TimestampNTZType | _: YearMonthIntervalType | _: DayTimeIntervalType =>
      true
    case decimal: DecimalType => !StateTypes.isWide(decimal)
    case other                => isIntegral(other)
  }
}
