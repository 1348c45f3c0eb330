package org.slidewise.spark.execution.streams

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.expressions.RowStructure

final private[streams] class CellsInMemory extends KeyCells with PartitionCells with KeyTimer {
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

  var putsOfPartition = 0
  val ofPartition = mutable.Map.empty[(Int, Long, Long), Array[Byte]]
  def dataOf(section: Int, bucket: Long, number: Long): Array[Byte] =
    ofPartition.getOrElse((section, bucket, number), null)
  def putData(section: Int, bucket: Long, number: Long, data: Array[Byte]): Unit = {
    putsOfPartition += 1
    ofPartition((section, bucket, number)) = data
  }
  def removeData(section: Int, bucket: Long, number: Long): Unit = ofPartition -= ((section, bucket, number))

  val timers = mutable.Set.empty[Long]
  def set(time: Long): Unit = assert(timers.add(time), s"there is a timer for $time")
  def remove(time: Long): Unit = assert(timers.remove(time), s"there is no timer for $time")
}

private[streams] object CellsInMemory {
  private val types = Seq(LongType, LongType, StringType)
  private val project = UnsafeProjection.create(types.toArray[DataType])
  val structure: RowStructure = new RowStructure(types)

  /** A row of a time, a number and some text. */
  def row(time: Long, number: Long): UnsafeRow =
    project(InternalRow(time, number, UTF8String.fromString("x" * (number % 40).toInt))).copy()
}
