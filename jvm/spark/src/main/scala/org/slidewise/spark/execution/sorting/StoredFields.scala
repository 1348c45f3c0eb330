package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

/**
 * Decides where a sorter stores the fields of its rows: in the columns of its keys and inputs, in further columns, or as rows in
 * its log.
 *
 * @param input
 *   the fields
 * @param keysAndInputs
 *   the columns of keys and inputs; none for a column that is not derived from one field
 * @param inRows
 *   the fields that are always logged
 * @param addsColumns
 *   whether other fields of fixed size get columns of their own
 */
final private[sorting] class StoredFields(
    val input: Seq[Attribute],
    keysAndInputs: Seq[Option[FieldColumn]],
    inRows: Attribute => Boolean,
    addsColumns: Boolean
) {

  /** The further columns, of fields that are not keys or inputs. They follow the columns of keys and inputs. */
  val added: Seq[FieldColumn] =
    if (!addsColumns) Nil
    else
      input.zipWithIndex.flatMap { case (attribute, field) =>
        if (inRows(attribute) || columnOf(field, keysAndInputs) >= 0) None
        else FieldColumn.of(field, attribute.dataType)
      }

  /** All columns. */
  val columns: Seq[Option[FieldColumn]] = keysAndInputs ++ added.map(Some(_))

  /** For each field, its column; -1 if it goes to the log. */
  val columnOf: Array[Int] = input.indices.map { field =>
    if (inRows(input(field))) -1 else columnOf(field, columns)
  }.toArray

  private def columnOf(field: Int, among: Seq[Option[FieldColumn]]): Int =
    among.indexWhere(_.exists(c => c.field == field && c.isLossless))

  /** For each field, the bits in which its column differs from the field. */
  val flips: Array[Long] = columnOf.map(column => if (column < 0) 0L else columns(column).get.flip)

  /** The fields that go to the log, in their order. */
  val logged: Array[Int] = input.indices.filter(columnOf(_) < 0).toArray

  /** The attributes of the rows in the log. */
  val loggedAttributes: Seq[Attribute] = logged.toSeq.map(input)

  /** Whether the log holds whole rows. Rows without fields are not logged. */
  def areWhole: Boolean = logged.nonEmpty && logged.length == input.length

  def types: Seq[DataType] = input.map(_.dataType)
}
