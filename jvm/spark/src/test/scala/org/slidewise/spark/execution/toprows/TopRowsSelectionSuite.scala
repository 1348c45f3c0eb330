package org.slidewise.spark.execution.toprows

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.OneOf
import org.slidewise.core.selection.FirstRows
import org.slidewise.core.selection.FirstRows._
import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.{MemoryMetrics, TaskResources, Tasks}

class TopRowsSelectionSuite extends SparkSuite {
  override protected def hasOwnSpark: Boolean = true
  import TopRowsSelectionSuite._

  private val one = new OneOf(7)

  for (
    first <- Seq(ByRowNumber, ByRank, ByDenseRank); (what, order) <- orders;
    (keyed, partition) <- Seq("a number" -> Seq(number), "bytes" -> Seq(text, number))
  )
    test(
      one(s"$first by $what of keys of $keyed: a superset of the first rows, in the order in which they came")
    ) {
      val metrics = TopRowsMetrics.create(spark.sparkContext)
      val (got, wanted) = inTask { () =>
        val rows = (0 until 20000).map(i => row(i, new Random(i.toLong)))
        val spec = new TopRowsSpec(partition, order, first, 3, attributes)
        (selected(spec, rows.iterator, metrics), firstOf(rows, spec))
      }
      assertEquals(got, got.sorted)
      assertEquals(wanted.filterNot(got.toSet), Nil)
      assert(got.size <= 2 * wanted.size, (got.size, wanted.size))
      assertEquals(metrics(TopRowsMetrics.Rejected).value, 20000L - got.size)
      assertEquals(metrics(TopRowsMetrics.Fallbacks).value, 0L)
      assert(metrics(TopRowsMetrics.Groups).value >= 11)
      assert(metrics(MemoryMetrics.Peak).value > 0)
    }

  for ((what, order) <- orders; left <- Seq(0L, 80L << 10, 400L << 10))
    test(s"without memory beyond $left bytes, all further rows pass; by $what") {
      val metrics = TopRowsMetrics.create(spark.sparkContext)
      val (got, wanted) = inTask { () =>
        // Each key has a few rows, and the last of each comes first.
        val rows =
          (0 until 20000).map(i => InternalRow(UTF8String.fromString("k" + i % 7000), i % 7000, -i, i.toLong))
        val spec = new TopRowsSpec(Seq(text), order, ByRowNumber, 1, attributes)
        val hogs = Seq(new Tasks.Hog(MemoryMode.ON_HEAP))
        hogs.foreach(_.takeAllBut(left))
        try Tuple2(selected(spec, rows.iterator, metrics), firstOf(rows, spec))
        finally hogs.foreach(_.close())
      }
      assertEquals(got, got.sorted)
      assertEquals(wanted.filterNot(got.toSet), Nil)
      assertEquals(metrics(TopRowsMetrics.Fallbacks).value, 1L)
      assertEquals(metrics(TopRowsMetrics.Rejected).value, 20000L - got.size)
    }

  test("rows of keys that hardly repeat pass") {
    val metrics = TopRowsMetrics.create(spark.sparkContext)
    val got = inTask { () =>
      val rows = Iterator.range(0, 200000).map(i => InternalRow(null, i, i, i.toLong))
      selected(new TopRowsSpec(Seq(number), by(time), ByRowNumber, 1, attributes), rows, metrics)
    }
    assertEquals(got, (0L until 200000L).toVector)
    assertEquals(metrics(TopRowsMetrics.Fallbacks).value, 1L)
    assertEquals(metrics(TopRowsMetrics.Groups).value, 1L << 16)
  }

  test("rows that all tie by rank pass") {
    val metrics = TopRowsMetrics.create(spark.sparkContext)
    val got = inTask { () =>
      val rows = Iterator.range(0, 400000).map(i => InternalRow(null, i % 10, null, i.toLong))
      selected(new TopRowsSpec(Seq(number), by(time), ByRank, 1, attributes), rows, metrics)
    }
    assertEquals(got, (0L until 400000L).toVector)
    assertEquals(metrics(TopRowsMetrics.Fallbacks).value, 1L)
  }

  test("rows that each displace the last take little memory") {
    val metrics = TopRowsMetrics.create(spark.sparkContext)
    val got = inTask { () =>
      val rows = Iterator.range(0, 600000).map(i => InternalRow(null, i % 10, i, i.toLong))
      selected(new TopRowsSpec(Seq(number), by(time, Descending), ByRowNumber, 1, attributes), rows, metrics)
    }
    assertEquals(got, (599990L until 600000L).toVector)
    assertEquals(metrics(TopRowsMetrics.Fallbacks).value, 0L)
    assert(metrics(MemoryMetrics.Peak).value < (2L << 20), metrics(MemoryMetrics.Peak).value)
  }

  test("a cancelled task stops while it selects") {
    val metrics = TopRowsMetrics.create(spark.sparkContext)
    val (thrown, taken) = inTask { () =>
      var taken = 0
      val rows = Iterator.range(0, 100000).map { i =>
        if (taken == 5000) Tasks.cancel()
        taken += 1
        InternalRow(null, 1, i, i.toLong)
      }
      val spec = new TopRowsSpec(Seq(number), by(time), ByRowNumber, 1, attributes)
      (Tasks.thrownBy(selected(spec, rows, metrics)), taken)
    }
    assertEquals(thrown, "TaskKilledException")
    assert(taken <= 5000 + 4096, taken)
  }
}

object TopRowsSelectionSuite {
  private val text = AttributeReference("s", StringType)()
  private val number = AttributeReference("k", IntegerType)()
  private val time = AttributeReference("t", IntegerType)()
  private val id = AttributeReference("id", LongType)()
  private val attributes = Seq(text, number, time, id)

  private def by(column: Expression, direction: SortDirection = Ascending): Seq[SortOrder] =
    Seq(SortOrder(column, direction))

  private val orders = Seq(
    "a number" -> by(time),
    "a number, descending, nulls first" -> Seq(SortOrder(time, Descending, NullsFirst, Nil)),
    "a string" -> by(Cast(time, StringType)),
    "two columns" -> Seq(SortOrder(time, Descending), SortOrder(text, Ascending)),
    "a struct" -> by(CreateNamedStruct(Seq(Literal("t"), time)))
  )

  private def row(i: Int, random: Random): InternalRow = {
    def orNull[T](value: T): Any = if (random.nextInt(9) == 0) null else value
    InternalRow(
      orNull(UTF8String.fromString("key" + random.nextInt(10))),
      orNull(random.nextInt(10)),
      orNull(random.nextInt(3000) - 1500),
      i.toLong
    )
  }

  /** The ids of the selected rows. */
  private def selected(
      spec: TopRowsSpec,
      rows: Iterator[InternalRow],
      metrics: Map[String, SQLMetric]
  ): Seq[Long] = {
    val project = UnsafeProjection.create(attributes.map(_.dataType).toArray)
    val selection = new TopRowsSelection(spec, new TaskResources(TaskContext.get()), metrics)
    try selection.select(rows.map(project)).map(_.getLong(3)).toVector
    finally selection.close()
  }

  /** The definition, by sorting: the ids of the first rows of each partition. */
  private def firstOf(rows: Seq[InternalRow], spec: TopRowsSpec): Seq[Long] = {
    val order = new InterpretedOrdering(spec.order, attributes)
    val key = new InterpretedProjection(spec.partition, attributes)
    rows
      .groupBy(row => key(row).copy())
      .values
      .flatMap(of => first(of.sorted(order), order, spec.first, spec.limit))
      .map(_.getLong(3))
      .toSeq
      .sorted
  }

  private def first(
      sorted: Seq[InternalRow],
      order: Ordering[InternalRow],
      by: FirstRows,
      limit: Int
  ): Seq[InternalRow] = {
    val isNew = sorted.indices.map(i => i == 0 || order.compare(sorted(i - 1), sorted(i)) != 0)
    val ranks = by match {
      case ByRowNumber => sorted.indices.map(_ + 1)
      case ByRank      => sorted.indices.scanLeft(0)((rank, i) => if (isNew(i)) i + 1 else rank).tail
      case ByDenseRank => isNew.scanLeft(0)((rank, fresh) => if (fresh) rank + 1 else rank).tail
    }
    sorted.zip(ranks).collect { case (row, rank) if rank <= limit => row }
  }
}
