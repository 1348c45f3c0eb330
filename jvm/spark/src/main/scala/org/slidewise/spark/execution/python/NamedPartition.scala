package org.slidewise.spark.execution.python

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.shims.PythonErrors

/**
 * Iterates over the rows from Python. If an error message contains the number of the row that failed, adds the values of this
 * row's partition keys to the message.
 *
 * @param rowAt
 *   returns an input row, given its distance in rows from the row of the next result; called once
 */
final private class NamedPartition(
    results: Iterator[InternalRow],
    partitionSpec: Seq[Expression],
    input: Seq[Attribute],
    timeZone: String,
    rowAt: Long => InternalRow
) extends AbstractIterator[InternalRow] {
  private[this] var returned = 0L

  override def hasNext: Boolean = named(results.hasNext)

  override def next(): InternalRow = {
    val found = named(results.next())
    returned += 1
    found
  }

  private def named[T](body: => T): T =
    try body
    catch {
      case error: RuntimeException if partitionSpec.nonEmpty && PythonErrors.isOfWorker(error) =>
        throw NamedPartition.FailedRow
          .findFirstMatchIn(error.getMessage)
          .map(found => found.group(1).toLong -> found)
          .filter(_._1 >= returned)
          .fold(error) { case (row, found) =>
            val keys = keysOf(rowAt(row - returned))
            PythonErrors.withMessage(
              error,
              s"${found.before}${found.matched}, in the partition of $keys${found.after}"
            )
          }
    }

  private def keysOf(row: InternalRow): String = {
    val texts = partitionSpec.map(key =>
      BindReferences.bindReference[Expression](Cast(key, StringType, Some(timeZone)), input)
    )
    partitionSpec
      .zip(texts.map(_.eval(row).asInstanceOf[UTF8String]))
      .map { case (key, text) => s"${key.sql} = ${if (text == null) "NULL" else text}" }
      .mkString(", ")
  }
}

private object NamedPartition {

  /** Matches the error message of `slidewise._aggregates.over`. */
  private val FailedRow = """failed at row (\d+) of its task(?: or later)?""".r
}
