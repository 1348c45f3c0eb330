package org.slidewise.spark.execution.task

import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{CollectList, Max, Sum}
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.sorting.{PartitionSorter, SortSpec}
import org.slidewise.spark.execution.states.{FrameFunctions, RowStates}
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.AggregateCall

/** Which pool is charged, on the heap or off it, where Spark keeps its pages off-heap. */
class MemoryPoolsSuite extends SparkSuite {
  import MemoryPoolsSuite._

  override protected def settings: Map[String, String] = Map(
    "spark.memory.offHeap.enabled" -> "true",
    "spark.memory.offHeap.size" -> (64L << 20).toString,
    "spark.testing.memory" -> (64L << 20).toString,
    "spark.testing.reservedMemory" -> "0"
  )

  test("a sorter charges its arrays to the heap and its rows to the off-heap pool") {
    val (modes, heap, total) = inTask { () =>
      withSorter { sorter =>
        sorter.sort(input()).next()
        val memory = Tasks.resources().memory
        (sorter.getMode, sorter.getUsed, memory.getMemoryConsumptionForThisTask)
      }
    }
    assertEquals(modes, MemoryMode.ON_HEAP)
    assert(heap >= Rows * 4L, heap)
    assert(total - heap >= Rows * 32L, total)
  }

  test("rows whose arrays do not fit on the heap are sorted externally, though off-heap memory is free") {
    val (inMemory, ids) = inTask { () =>
      val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
      hog.takeAllBut(256L << 10)
      try withSorter(sort(_))
      finally hog.close()
    }
    assert(!inMemory)
    assertEquals(ids, expected)
  }

  for (mode <- Seq(MemoryMode.ON_HEAP, MemoryMode.OFF_HEAP))
    test(s"sorted rows go to a file when another consumer asks for $mode memory") {
      val (spilled, left, ids) = inTask { () =>
        withSorter { sorter =>
          val rows = sorter.sort(input())
          val first = rows.next().getLong(2)
          val hog = new Tasks.Hog(mode)
          hog.takeAllBut(0L)
          hog.close()
          (sorter.spilledBytes, sorter.getUsed, first +: rows.map(_.getLong(2)).toVector)
        }
      }
      assert(spilled > 0)
      assertEquals(left, 0L)
      assertEquals(ids, expected)
    }

  for (
    (what, function, mode) <- Seq(
      ("numbers", Sum(id), MemoryMode.OFF_HEAP),
      ("strings", Max(text), MemoryMode.ON_HEAP),
      ("objects", CollectList(id), MemoryMode.ON_HEAP)
    )
  )
    test(s"states of $what are charged to the pool $mode") {
      val (got, used) = inTask { () =>
        val log = RowLog.of(attributes, Tasks.resources())
        input().take(1000).foreach(row => log.append(row.asInstanceOf[UnsafeRow]))
        val functions =
          new FrameFunctions(Seq(AggregateCall(Families.of(function), None)), Seq(0), attributes, false)
        val states = RowStates(functions, log.reader(), Tasks.resources(), 1L << 20)
        try {
          states.reserve(4)
          states.clear(0)
          states.accumulate(0, 0L, 1000L)
          (states.getMode, states.getUsed)
        } finally {
          states.close()
          log.close()
        }
      }
      assertEquals(got, mode)
      assert(used > 0)
    }
}

object MemoryPoolsSuite {
  private val Rows = 20000
  private val key = AttributeReference("k", StringType)()
  private val time = AttributeReference("t", IntegerType)()
  private val id = AttributeReference("id", LongType)()
  private val text = key
  private val attributes = Seq(key, time, id)
  private val order = SortOrder(time, Ascending)

  private def row(i: Int) =
    InternalRow(UTF8String.fromString("key" + i % 7), (i * 7919L % 100).toInt, i.toLong)

  private def input(): Iterator[InternalRow] = {
    val project = UnsafeProjection.create(attributes.map(_.dataType).toArray)
    Iterator.range(0, Rows).map(i => project(row(i)))
  }

  private val expected: Seq[Long] =
    (0 until Rows).sortBy(i => (i % 7, (i * 7919L % 100).toInt)).map(_.toLong)

  private def withSorter[T](body: PartitionSorter => T): T = {
    val sorter = new PartitionSorter(
      Tasks.resources(),
      attributes,
      new SortSpec(Seq(key), Seq(order), radixInSpark = false, peers = 1)
    )
    try body(sorter)
    finally sorter.close()
  }

  /** Whether the rows were sorted in memory, and their ids in order. */
  private def sort(sorter: PartitionSorter): (Boolean, Seq[Long]) = {
    var inMemory = false
    val sorted = sorter.sort(
      input(),
      _ => {
        inMemory = true
        None
      }
    )
    (inMemory, sorted.rows.map(_.getLong(2)).toVector)
  }
}
