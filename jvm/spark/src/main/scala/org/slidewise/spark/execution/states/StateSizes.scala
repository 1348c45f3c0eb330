package org.slidewise.spark.execution.states

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  SpecificInternalRow,
  UnsafeArrayData,
  UnsafeMapData,
  UnsafeRow
}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SizeEstimator

/**
 * Estimates the heap memory of a row of states, in bytes.
 *
 * Strings, binaries, rows, arrays and maps are measured each time. Other objects, such as sketches and users' buffers, are
 * measured by following their references, which is slow. The largest size so far is therefore the estimate for all states. The
 * first state is measured, then fewer and fewer states, down to one in [[StateSizes.MostBetween]]. While sizes grow, each state
 * is measured.
 */
final private[execution] class StateSizes(types: Seq[DataType]) {
  import StateSizes._

  private[this] val fixed = SizeEstimator.estimate(new SpecificInternalRow(types)) + Slot
  private[this] val objects = types.indices.filterNot(i => UnsafeRow.isFixedLength(types(i))).toArray
  private[this] val objectTypes = objects.map(types)
  private[this] val largestObject = new Array[Long](objects.length)
  private[this] var between, untilMeasured = 1
  private[this] var grew = false

  def of(state: InternalRow): Long = {
    untilMeasured -= 1
    val measure = untilMeasured == 0
    grew = false
    var size = fixed
    var i = 0
    while (i < objects.length) {
      if (!state.isNullAt(objects(i))) size += sizeOf(state.get(objects(i), objectTypes(i)), i, measure)
      i += 1
    }
    if (measure) {
      between = if (grew) 1 else math.min(2 * between, MostBetween)
      untilMeasured = between
    }
    size
  }

  private def sizeOf(value: AnyRef, field: Int, measure: Boolean): Long = value match {
    case s: UTF8String          => Header + s.numBytes
    case b: Array[Byte]         => Header + b.length
    case row: UnsafeRow         => Header + row.getSizeInBytes
    case array: UnsafeArrayData => Header + array.getSizeInBytes
    case map: UnsafeMapData     => Header + map.getSizeInBytes
    case other                  =>
      if (measure || largestObject(field) == 0L) {
        val size = SizeEstimator.estimate(other)
        grew |= size > largestObject(field) + largestObject(field) / 4
        largestObject(field) = math.max(largestObject(field), size)
      }
      largestObject(field)
  }
}

private[states] object StateSizes {

  /** The bytes for a reference to a state and its size. */
  val Slot = 16L

  private val MostBetween = 256
  private val Header = 48L
}
