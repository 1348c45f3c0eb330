package org.slidewise.spark.execution.streams

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.expressions.RowStructure

final private[streams] class CellsInMemory extends KeyCells {
  val cells = mutable.Map.empty[(Int, Long), UnsafeRow]
  private val value = UnsafeProjection.create(StateCells.valueSchema)
  var puts = 0

  def get(section: Int, number: Long): UnsafeRow = cells.getOrElse((section, number), null)
  def put(section: Int, number: Long, low: Long, high: Long, data: Array[Byte]): Unit = {
    puts += 1
    cells((section, number)) = value(InternalRow(low, high, data)).copy()
  }
  def remove(section: Int, number: Long): Unit = {
    assert(
      cells.contains((section, number)),
      s"cell $number of section $section is removed, and was not there"
    )
    cells -= ((section, number))
  }
}

private[streams] object CellsInMemory {
  private val types = Seq(LongType, LongType, StringType)
  private val project = UnsafeProjection.create(types.toArray[DataType])
  val structure: RowStructure = new RowStructure(types)

  /** A row of a time, a number and some text. */
  def row(time: Long, number: Long): UnsafeRow =
    project(InternalRow(time, number, UTF8String.fromString("x" * (number % 40).toInt))).copy()
}
