package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

/**
 * Where a sorter keeps the fields of its rows: in columns, among them those that it has anyway as keys and inputs, or as rows in
 * its log.
 *
 * @param input
 *   the fields
 * @param keysAndInputs
 *   the columns of keys and inputs; none where a column does not follow from one field
 * @param inRows
 *   the fields that go to the log in any case
 * @param addsColumns
 *   whether other fields of fixed size get columns of their own
 */
final private[sorting] class StoredFields(
    val input: Seq[Attribute],
    keysAndInputs: Seq[Option[FieldColumn]],
    inRows: Attribute => Boolean,
    addsColumns: Boolean
) {

  /** The columns of fields that are no keys or inputs, which come after those that are. */
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

  /** For each field, the bits in which its column differs from it. */
  val flips: Array[Long] = columnOf.map(column => if (column < 0) 0L else columns(column).get.flip)

  /** The fields that go to the log, in their order. */
  val logged: Array[Int] = input.indices.filter(columnOf(_) < 0).toArray

  /** The attributes of the rows in the log. */
  val loggedAttributes: Seq[Attribute] = logged.toSeq.map(input)

  /** Whether the log has whole rows. */
  def areWhole: Boolean = logged.length == input.length

  def types: Seq[DataType] = input.map(_.dataType)
}
