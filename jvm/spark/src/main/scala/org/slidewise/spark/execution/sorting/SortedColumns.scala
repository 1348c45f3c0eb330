package org.slidewise.spark.execution.sorting

/**
 * What is known of rows once they are sorted.
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
 *   asks for memory, in bytes; it is given back with the rows
 */
final private[execution] class SortedColumns(
    val order: RowOrder,
    val columns: LongColumns,
    val orderColumn: Int,
    val firstInput: Int,
    val inputsFailed: Boolean,
    val places: RowPlaces,
    val acquire: Long => Boolean
)
