package org.slidewise.spark.execution.python

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.rows.PartitionKeys

/**
 * Numbers the groups of a task, whose rows come group by group, and joins their keys with the results from Python.
 *
 * Memory: the keys of groups that wait for Python, in a queue, which spills.
 *
 * @param number
 *   the number of a row's group, which Python gets and returns
 */
final private[execution] class GroupsForPython(
    grouping: Seq[NamedExpression],
    input: Seq[Attribute],
    number: Attribute,
    results: Seq[Attribute],
    python: PythonEvaluation
) extends Serializable {

  def evaluate(rows: Iterator[InternalRow], context: TaskContext): Iterator[InternalRow] = {
    val queue = new RowQueue(context, grouping.size)
    val sent = new RowsToSend(numbered(rows, queue), () => ())
    context.addTaskCompletionListener[Unit](_ => sent.close())
    joined(python.evaluate(context.partitionId(), sent), queue)
  }

  /** The rows for Python, each with the number of its group; keys go into the queue, each once. */
  private def numbered(rows: Iterator[InternalRow], queue: RowQueue): Iterator[InternalRow] = {
    val keys = PartitionKeys.of(grouping, input)
    val toPython = UnsafeProjection.create(python.columns, input :+ number)
    val withNumber = new JoinedRow
    val group = new SpecificInternalRow(Seq(LongType))
    group.setLong(0, -1L)
    rows.map { row =>
      val key = keys.key(row)
      if (group.getLong(0) < 0 || !keys.same(key, keys.current)) {
        keys.current.copyFrom(key)
        queue.add(key)
        group.setLong(0, group.getLong(0) + 1)
      }
      toPython(withNumber(row, group))
    }
  }

  private def joined(found: Iterator[InternalRow], queue: RowQueue): Iterator[InternalRow] = {
    val keyed = grouping.map(_.toAttribute)
    val output = UnsafeProjection.create(keyed ++ results, (keyed :+ number) ++ results)
    val withKey = new JoinedRow
    var group = -1L
    var key: UnsafeRow = null
    if (grouping.isEmpty) key = UnsafeRow.createFromByteArray(0, 0)
    found.map { row =>
      while (group < row.getLong(0)) {
        if (grouping.nonEmpty) key = queue.remove()
        group += 1
      }
      output(withKey(key, row))
    }
  }
}
