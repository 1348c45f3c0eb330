package org.slidewise.spark.execution.sorting

/**
 * What is known of rows once they are in order.
 *
 * @param columns
 *   by the rows' numbers, not their places
 * @param orderColumn
 *   the first order column among the columns
 * @param firstInput
 *   the first of the inputs among the columns
 * @param inputsFailed
 *   whether inputs could not be read
 * @param acquire
 *   asks for memory, in bytes; the owner of the rows gives it back
 */
final private[execution] class SortedColumns(
    val order: RowOrder,
    val columns: LongColumns,
    val orderColumn: Int,
    val firstInput: Int,
    val inputsFailed: Boolean,
    val acquire: Long => Boolean
)
