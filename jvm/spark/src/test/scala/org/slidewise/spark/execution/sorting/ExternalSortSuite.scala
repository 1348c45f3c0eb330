package org.slidewise.spark.execution.sorting

import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.Tasks

/** Rows that do not fit in memory: sorted in many spills, and in the order of arrival where they tie. */
class ExternalSortSuite extends SparkSuite {
  import ExternalSortSuite._

  override protected def settings: Map[String, String] =
    Map("spark.shuffle.spill.numElementsForceSpillThreshold" -> "1000")

  for (direction <- Seq(Ascending, Descending); nulls <- Seq(NullsFirst, NullsLast)) {
    val order = SortOrder(value, direction, nulls, Nil)

    test(s"${order.sql}: ties stay in the order of arrival over many spills") {
      val ids = inTask { () =>
        val sort = new ExternalSort(attributes, Seq(order), Tasks.resources())
        try {
          input().foreach(row => sort.insert(row.asInstanceOf[UnsafeRow]))
          sort.sort().map(_.getLong(1)).toVector
        } finally sort.close()
      }
      assertEquals(ids, expected(Seq(order)))
    }
  }

  for {
    direction <- Seq(Ascending, Descending)
    nulls <- Seq(NullsFirst, NullsLast)
    (key, byRadix) <- Seq(Remainder(id, Literal(7L)) -> true, sometimesNull -> true, value -> false)
    radix <- Seq(true, false)
  } {
    val order = SortOrder(key, direction, nulls, Nil)

    test(s"${order.sql}, radix = $radix: one column of 64 bits is sorted by radix, and ties stay in order") {
      val (ids, sortedByRadix) = inTask { () =>
        val sort = new ExternalSort(attributes, Seq(order), Tasks.resources(), radix)
        try {
          input().foreach(row => sort.insert(row.asInstanceOf[UnsafeRow]))
          (sort.sort().map(_.getLong(1)).toVector, sort.sortsByRadix)
        } finally sort.close()
      }
      assertEquals(ids, expected(Seq(order)))
      assertEquals(sortedByRadix, radix && byRadix)
    }
  }

  test("a sorter without memory hands its rows on, and ties stay in the order of arrival") {
    val order = SortOrder(value, Descending)
    val (ids, fields) = inTask { () =>
      val sorter =
        new PartitionSorter(
          Tasks.resources(),
          attributes,
          new SortSpec(Seq(parity), Seq(order), radixInSpark = false, peers = 1)
        )
      val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
      try {
        val sorted = sorter.sort(
          input().zipWithIndex.map { case (row, i) =>
            if (i == Rows / 2) hog.takeAllBut(8L << 20)
            row
          },
          _ => throw new IllegalStateException("sorted in memory")
        )
        val got = sorted.rows.map(row => (row.getLong(1), row.numFields)).toVector
        (got.map(_._1), got.map(_._2).distinct)
      } finally {
        hog.close()
        sorter.close()
      }
    }
    assertEquals(ids, expected(Seq(SortOrder(parity, Ascending), order)))
    assertEquals(fields, Vector(2))
  }

  test("a cancelled task stops within 4096 rows") {
    val (thrown, rows) = inTask { () =>
      val sort = new ExternalSort(attributes, Seq(SortOrder(value, Ascending)), Tasks.resources())
      var rows = 0
      val thrown = Tasks.thrownBy {
        try
          input().foreach { row =>
            if (rows == 5000) Tasks.cancel()
            sort.insert(row.asInstanceOf[UnsafeRow])
            rows += 1
          }
        finally sort.close()
      }
      (thrown, rows)
    }
    assertEquals(thrown, "TaskKilledException")
    assert(rows <= 5000 + 4096, rows)
  }
}

object ExternalSortSuite {
  private val Rows = 20000
  private val value = AttributeReference("v", StringType)()
  private val id = AttributeReference("id", LongType, nullable = false)()
  private val attributes = Seq(value, id)
  private val sometimesNull =
    If(EqualTo(Remainder(id, Literal(5L)), Literal(0L)), Literal(null, LongType), Remainder(id, Literal(3L)))
  private val parity = Remainder(id, Literal(2L))

  private def row(i: Int): InternalRow =
    InternalRow(if (i % 11 == 0) null else UTF8String.fromString("same prefix " + i * 31 % 3), i.toLong)

  private def input(): Iterator[InternalRow] = {
    val project = UnsafeProjection.create(attributes.map(_.dataType).toArray)
    Iterator.range(0, Rows).map(i => project(row(i)))
  }

  private def expected(order: Seq[SortOrder]): Seq[Long] =
    (0 until Rows).map(row).sorted(new InterpretedOrdering(order, attributes)).map(_.getLong(1))
}
