package org.slidewise.spark.execution.sorting

import scala.util.control.NonFatal

import org.apache.spark.TaskKilledException
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.DictionaryCode

/**
 * An expression that is evaluated for each row to 64 bits: a long, the bits of a double, or a sort key.
 *
 * @param value
 *   the expression, of a type that [[ColumnReader]] can read, or null
 * @param flip
 *   the bits to flip
 */
final private[execution] case class InputColumn(value: Expression, flip: Long = 0L)

/**
 * Reads the columns of a row: first its sort keys, then other inputs, in one generated call. Each [[DictionaryCode]] takes one
 * more call and a search in its dictionary.
 *
 * Memory: the dictionaries, with a copy of each distinct tuple; see [[dictionaryBytes]]. The reader acquires this memory by
 * `acquire`, and the owner releases it.
 *
 * Inputs may fail (an overflow, a bad cast) on rows that no frame covers. The first failure is logged. Afterwards, no inputs are
 * read, and [[inputsFailed]] is true. A failure of the sort keys, or a failure that ends the task, is thrown.
 *
 * @param places
 *   the place of each key and input among the columns
 */
final private[execution] class ColumnReader(
    keys: Seq[SortKey],
    inputs: Seq[InputColumn],
    input: Seq[Attribute],
    acquire: Long => Boolean,
    places: Seq[Int]
) extends Logging {
  private[this] val width = keys.size + inputs.size
  private[this] val columnOf = places.toArray
  private[this] val flips = (keys.map(_.flip) ++ inputs.map(_.flip)).toArray
  private[this] val narrow =
    (keys.map(_.prefix) ++ inputs.map(_.value)).map(e => ColumnReader.isNarrow(e.dataType)).toArray
  private[this] val dictionaries =
    (keys.map(_ => None) ++ inputs.map(i => Dictionary.of(i.value, input))).map(_.orNull).toArray
  private[this] var held, acquired = 0L
  private[this] val readKeys = UnsafeProjection.create(keys.map(_.prefix), input)
  private[this] val readAll =
    UnsafeProjection.create(keys.map(_.prefix) ++ inputs.map(i => Dictionary.placeholder(i.value)), input)
  private[this] var failed = false

  def inputsFailed: Boolean = failed

  /** Drops the dictionaries once no more rows are read, and returns the memory that the owner can release, in bytes. */
  def dropDictionaries(): Long = {
    java.util.Arrays.fill(dictionaries.asInstanceOf[Array[AnyRef]], null)
    val released = acquired
    held = 0L
    acquired = 0L
    released
  }

  /** The heap memory of the dictionaries, in bytes. */
  def dictionaryBytes: Long = acquired

  /**
   * Writes the values of `row` into the columns, at row number `at`.
   *
   * @return
   *   false if there is no memory for the growth of the dictionaries
   */
  def read(row: UnsafeRow, columns: LongColumns, at: Int): Boolean = {
    readInto(row, columns, at)
    held == acquired || {
      val granted = acquire(held - acquired)
      if (granted) acquired = held
      granted
    }
  }

  private def readInto(row: UnsafeRow, columns: LongColumns, at: Int): Unit =
    if (failed) store(row, readKeys(row), keys.size, columns, at)
    else
      try store(row, readAll(row), width, columns, at)
      catch {
        case killed: TaskKilledException        => throw killed
        case NonFatal(error) if inputs.nonEmpty =>
          failed = true
          logInfo("Falls back to row-wise evaluation: the input of a window function failed", error)
          readInto(row, columns, at)
      }

  private def store(row: UnsafeRow, values: UnsafeRow, width: Int, columns: LongColumns, at: Int): Unit = {
    var c = 0
    while (c < width) {
      val column = columnOf(c)
      if (values.isNullAt(c)) columns.setNull(column, at)
      else if (dictionaries(c) != null) columns.set(column, at, codeOf(row, dictionaries(c)))
      else columns.set(column, at, ColumnReader.wordOf(values, c, narrow(c)) ^ flips(c))
      c += 1
    }
  }

  private def codeOf(row: UnsafeRow, dictionary: Dictionary): Long = {
    val before = dictionary.bytes
    val code = dictionary.codeOf(row)
    held += dictionary.bytes - before
    code
  }
}

/** Numbers the distinct tuples of values in the rows of a task, in the order in which they first appear. */
final private class Dictionary(values: UnsafeProjection) {
  private[this] val numbers = new GroupNumbers

  def codeOf(row: UnsafeRow): Long = numbers.of(values(row)).toLong
  def bytes: Long = numbers.bytes
}

private object Dictionary {

  /** The dictionary of a [[DictionaryCode]]; none for other inputs. */
  def of(value: Expression, input: Seq[Attribute]): Option[Dictionary] = value match {
    case DictionaryCode(values, _) => Some(new Dictionary(UnsafeProjection.create(values, input)))
    case _                         => None
  }

  /**
   * The expression that the generated call evaluates for an input. For a dictionary code, a null means that no code is looked up
   * for the row.
   */
  def placeholder(value: Expression): Expression = value match {
    case DictionaryCode(_, counted) => If(counted, Literal(0L), Literal.create(null, LongType))
    case other                      => other
  }
}

private[execution] object ColumnReader {

  /** The word that a column stores for a value that is not null. */
  def word(value: Any, dataType: DataType): Long = {
    val row = UnsafeProjection.create(Array(dataType))(new GenericInternalRow(Array(value)))
    wordOf(row, 0, isNarrow(dataType))
  }

  private def wordOf(row: UnsafeRow, field: Int, narrow: Boolean): Long =
    if (narrow) row.getInt(field).toLong else row.getLong(field)

  /** Whether a row holds a value of the type in four bytes. All other types here take eight. */
  private def isNarrow(dataType: DataType): Boolean = dataType match {
    case IntegerType | DateType | _: YearMonthIntervalType => true
    case _                                                 => false
  }
}
