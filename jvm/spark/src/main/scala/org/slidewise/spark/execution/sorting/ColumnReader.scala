package org.slidewise.spark.execution.sorting

import scala.util.control.NonFatal

import org.apache.spark.TaskKilledException
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * An expression that is evaluated for each row to 64 bits: a long, the bits of a double, or a sort key.
 *
 * @param value
 *   of a type that [[ColumnReader]] can read, or null
 * @param flip
 *   the bits to flip
 */
final private[execution] case class InputColumn(value: Expression, flip: Long = 0L)

/**
 * Reads the columns of a row: first its sort keys, then other inputs, in one generated call.
 *
 * Inputs may fail (an overflow, a bad cast) on rows that no frame covers. The first failure is logged. After it no inputs are
 * read, and [[inputsFailed]] says so. A failure of the sort keys, and one that ends the task, is thrown.
 */
final private[execution] class ColumnReader(
    keys: Seq[SortKey],
    inputs: Seq[InputColumn],
    input: Seq[Attribute]
) extends Logging {
  private[this] val width = keys.size + inputs.size
  private[this] val flips = (keys.map(_.flip) ++ inputs.map(_.flip)).toArray
  private[this] val narrow = (keys.map(_.prefix) ++ inputs.map(_.value)).map(ColumnReader.isNarrow).toArray
  private[this] val readKeys = UnsafeProjection.create(keys.map(_.prefix), input)
  private[this] val readAll = UnsafeProjection.create(keys.map(_.prefix) ++ inputs.map(_.value), input)
  private[this] var failed = false

  def inputsFailed: Boolean = failed

  /** Writes the values of `row` into `columns`, as row `at` of the columns from `first` on. */
  def read(row: UnsafeRow, columns: LongColumns, first: Int, at: Int): Unit =
    if (failed) store(readKeys(row), keys.size, columns, first, at)
    else {
      val values =
        try readAll(row)
        catch {
          case killed: TaskKilledException        => throw killed
          case NonFatal(error) if inputs.nonEmpty =>
            failed = true
            logInfo("Falls back to row-wise evaluation: the input of a window function failed", error)
            null
        }
      if (values == null) read(row, columns, first, at) else store(values, width, columns, first, at)
    }

  private def store(values: UnsafeRow, width: Int, columns: LongColumns, first: Int, at: Int): Unit = {
    var c = 0
    while (c < width) {
      if (values.isNullAt(c)) columns.setNull(first + c, at)
      else
        columns.set(first + c, at, (if (narrow(c)) values.getInt(c).toLong else values.getLong(c)) ^ flips(c))
      c += 1
    }
  }
}

private[execution] object ColumnReader {

  /** Whether a row holds the value in four bytes; all other types here take eight. */
  private def isNarrow(value: Expression): Boolean = value.dataType match {
    case IntegerType | DateType | _: YearMonthIntervalType => true
    case _                                                 => false
  }
}
