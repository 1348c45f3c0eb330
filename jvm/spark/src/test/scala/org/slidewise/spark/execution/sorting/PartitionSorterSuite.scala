package org.slidewise.spark.execution.sorting

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.arrays.{ArrayResults, ArrayWindow}
import org.slidewise.spark.execution.rows.RowLogSuite
import org.slidewise.spark.execution.surroundings.{ArraySurroundings, SurroundingRows}
import org.slidewise.spark.execution.task.{TaskResources, Tasks, WindowMeasures, WindowMetrics}
import org.slidewise.spark.plan.{ArrayFunction, ArrayKernel, Frame}

class PartitionSorterSuite extends SparkSuite {
  override protected def hasOwnSpark: Boolean = true
  import PartitionSorterSuite._

  for (direction <- Seq(Ascending, Descending); nulls <- Seq(NullsFirst, NullsLast)) {
    val order = SortOrder(time, direction, nulls, Nil)

    test(s"${order.sql}: partitions in the order of their keys, ties as they came") {
      val (got, expected) = inTask(() => (sorted(20000, order, 0).map(_._1), reference(20000, order)))
      assertEquals(got, expected)
    }

    test(s"${order.sql}: rows that go to a file half-way come in the same order") {
      val (got, freed, expected) = inTask { () =>
        val rows = sorted(20000, order, spillAt = 7000)
        (rows.map(_._1), rows.map(_._2).max, reference(20000, order))
      }
      assert(freed > 0)
      assertEquals(got, expected)
    }
  }

  for (spillAt <- Seq(0, 1, 7000, 19999))
    test(s"answers go along with rows to a file from row $spillAt on") {
      val order = SortOrder(time, Ascending)
      val metrics = WindowMetrics.create(spark.sparkContext)
      val (got, expected) = inTask { () =>
        val ids = reference(20000, order)
        val keys = ids.map(id => Option(row(id.toInt).getUTF8String(0)).map(_.toString))
        val sums = ids.indices.map { i =>
          (math.max(0, i - 2) to i).filter(keys(_) == keys(i)).map(ids(_)).sum
        }
        (answered(20000, order, spillAt, metrics), ids.zip(sums))
      }
      assertEquals(got, expected)
    }

  test("the row in hand outlives the spill") {
    val (before, after) = inTask { () =>
      withSorter(SortOrder(time, Ascending)) { sorter =>
        val rows = sorter.sort(input(5000))
        rows.next()
        val row = rows.next().asInstanceOf[UnsafeRow]
        val before = row.copy().toString
        sorter.spill(Long.MaxValue, hog())
        (before, row.toString)
      }
    }
    assertEquals(after, before)
  }

  test("rows in no order that do not fit in memory come as they came") {
    val ids = inTask { () =>
      val spec = new SortSpec(Nil, Nil, radixInSpark = false, peers = 0)
      val sorter = new PartitionSorter(new TaskResources(TaskContext.get()), attributes, spec)
      try {
        val rows = input(20000).zipWithIndex.map { case (row, i) =>
          if (i == 7000) sorter.spill(Long.MaxValue, hog())
          row
        }
        sorter.sort(rows).map(_.getLong(2)).toVector
      } finally sorter.close()
    }
    assertEquals(ids, (0L until 20000L).toVector)
  }

  for ((what, cancelAt) <- Seq(("takes rows", 5000), ("compares rows", 19999)))
    test(s"a cancelled task stops while it $what") {
      val (thrown, taken) = inTask { () =>
        var taken = 0
        val rows = input(20000).map { row =>
          if (taken == cancelAt) Tasks.cancel()
          taken += 1
          row
        }
        val spec =
          new SortSpec(
            Seq(Remainder(id, Literal(2L))),
            Seq(SortOrder(key, Ascending)),
            radixInSpark = false,
            peers = 1
          )
        val sorter = new PartitionSorter(Tasks.resources(), attributes, spec)
        try {
          val thrown = Tasks.thrownBy(sorter.sort(rows, _ => throw new IllegalStateException("sorted")))
          (thrown, taken)
        } finally sorter.close()
      }
      assertEquals(thrown, "TaskKilledException")
      assert(taken <= cancelAt + 4096, taken)
    }
}

object PartitionSorterSuite {
  private val key = AttributeReference("k", StringType)()
  private val time = AttributeReference("t", IntegerType)()
  private val id = AttributeReference("id", LongType)()
  private val attributes = Seq(key, time, id)

  private def row(i: Int): InternalRow = {
    val random = new Random(i)
    val key = if (random.nextInt(9) == 0) null else UTF8String.fromString("key" + random.nextInt(40))
    val time = if (random.nextInt(9) == 0) null else Integer.valueOf(random.nextInt(300) - 150)
    InternalRow(key, time, i.toLong)
  }

  private def input(rows: Int): Iterator[InternalRow] = {
    val project = UnsafeProjection.create(attributes.map(_.dataType).toArray)
    Iterator.range(0, rows).map(i => project(row(i)))
  }

  private def hog(): MemoryConsumer = new RowLogSuite.Hog(TaskContext.get())

  private def withSorter[T](order: SortOrder)(body: PartitionSorter => T): T = {
    val sorter = new PartitionSorter(
      new TaskResources(TaskContext.get()),
      attributes,
      new SortSpec(Seq(key), Seq(order), radixInSpark = false, peers = 1)
    )
    try body(sorter)
    finally sorter.close()
  }

  /** The ids in order, each with what a spill at that place freed. */
  private def sorted(rows: Int, order: SortOrder, spillAt: Int): Seq[(Long, Long)] = withSorter(order) {
    sorter =>
      val in = sorter.sort(input(rows))
      Iterator
        .from(1)
        .takeWhile(_ => in.hasNext)
        .map { i =>
          val id = in.next().getLong(2)
          val freed = if (i == spillAt) sorter.spill(Long.MaxValue, hog()) else 0L
          (id, freed)
        }
        .toVector
  }

  /** The ids in order, each with the sum of it and the two before it in its partition. */
  private def answered(
      rows: Int,
      order: SortOrder,
      spillAt: Int,
      metrics: Map[String, SQLMetric]
  ): Seq[(Long, Long)] = {
    val spec = new SortSpec(Seq(key), Seq(order), radixInSpark = false, peers = 1)
    val sum =
      ArrayFunction.Aggregate(
        ArrayKernel.SumLongs(checked = None),
        id,
        atLeast = 1,
        Frame.Rows(Some(-2), Some(0))
      )
    val window = new ArrayWindow(Seq(sum), Seq(order))
    val result = AttributeReference("sum", LongType)()
    val sorter =
      new PartitionSorter(new TaskResources(TaskContext.get()), attributes, spec, Seq(result), window.inputs)
    try {
      val resources = new TaskResources(TaskContext.get())
      val measures = new WindowMeasures(metrics, resources, seed = 1)
      val around = new ArraySurroundings(SurroundingRows.None, Array(null), Array(null))
      val sorted = sorter.sort(
        input(rows),
        window
          .evaluator(_, around, measures)
          .map(new ArrayResults(_, Seq(LongType), SurroundingRows.None, measures))
      )
      assert(sorted.finished)
      val in = sorted.rows
      Iterator
        .from(1)
        .takeWhile(_ => in.hasNext)
        .map { i =>
          if (i == spillAt + 1) assert(sorter.spill(Long.MaxValue, hog()) > 0)
          val row = in.next()
          (row.getLong(2), row.getLong(3))
        }
        .toVector
    } finally sorter.close()
  }

  private def reference(rows: Int, order: SortOrder): Seq[Long] = {
    val ordering = new InterpretedOrdering(Seq(SortOrder(key, Ascending), order), attributes)
    (0 until rows).map(row).sorted(ordering).map(_.getLong(2))
  }
}
