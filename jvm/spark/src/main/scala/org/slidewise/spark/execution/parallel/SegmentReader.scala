package org.slidewise.spark.execution.parallel

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.sorting.{PartitionSorter, SortSpec}
import org.slidewise.spark.execution.surroundings.SurroundingFunctions
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{SlidingWindowPlan, WindowKeys}

/**
 * Aggregates the rows between the cuts of a range, each interval separately.
 *
 * Memory: an aggregate for each interval and, if the rows must be in order, the memory of a sort.
 */
final private[parallel] class SegmentReader(
    plan: SlidingWindowPlan,
    input: Seq[Attribute],
    functions: SurroundingFunctions
) extends Serializable {

  import SegmentReader.NoKey

  def read(rows: RangeRows, intervals: Int): Array[Option[Segment]] = {
    val builders = Array.fill(intervals)(new SegmentBuilder(functions))
    val partition: UnsafeRow => UnsafeRow =
      if (plan.partitionSpec.isEmpty) _ => NoKey
      else {
        val keys = UnsafeProjection.create(WindowKeys.asBytes(plan.partitionSpec), input)
        keys(_)
      }
    def add(row: InternalRow, interval: Int): Unit = {
      val read = row.asInstanceOf[UnsafeRow]
      builders(interval).add(read, partition(read))
    }
    if (functions.unbounded.needOrder || plan.partitionSpec.nonEmpty) {
      val sorted = inOrder(rows)
      var interval = 0
      var left = rows.rowsIn(1)
      sorted.foreach { row =>
        while (left == 0) {
          interval += 1
          left = rows.rowsIn(interval + 1)
        }
        left -= 1
        add(row, interval)
      }
    } else rows.foreach(row => add(row, rows.currentInterval - 1))
    builders.map(_.result())
  }

  private def inOrder(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val context = TaskContext.get()
    val sorter = new PartitionSorter(new TaskResources(context), input, SortSpec.of(plan, keepsTies = true))
    context.addTaskCompletionListener[Unit](_ => sorter.close())
    sorter.sort(rows)
  }
}

private object SegmentReader {
  private val NoKey = UnsafeRow.createFromByteArray(0, 0)
}
