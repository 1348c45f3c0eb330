package org.slidewise.spark.execution.rows

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, TaskMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.TaskResources

class RowLogSuite extends SparkSuite {
  import RowLogSuite._

  for (
    (kind, types, size) <- Seq(
      ("one size", Array[DataType](LongType), 16),
      ("many sizes", Array[DataType](LongType, StringType), -1)
    )
  ) {

    test(s"rows of $kind come back at any position, spilled or not") {
      val (wrong, spilled) = inTask { () =>
        withLog(types, size) { (log, project) =>
          val random = new Random(7)
          (0L until Rows).foreach(i => log.append(project(row(i, types))))
          val memory = new Hog(TaskContext.get())
          val freed = log.spill(Long.MaxValue, memory)
          val reader = log.reader()
          val places = Seq.fill(500)(random.nextLong(Rows)) ++ (1000L until 3000L) ++ (0L until 300L).reverse
          (places.count(p => !same(reader(p), p, types)), freed)
        }
      }
      assertEquals(wrong, 0)
      assert(spilled > 0)
    }

    test(s"rows of $kind: what is released is forgotten and what is newer is not") {
      val wrong = inTask { () =>
        withLog(types, size) { (log, project) =>
          val reader = log.reader()
          (0L until Rows).count { i =>
            log.append(project(row(i, types)))
            if (i % 1000 == 999) log.release(i - 500)
            !same(reader(math.max(0, i - 400)), math.max(0, i - 400), types)
          }
        }
      }
      assertEquals(wrong, 0)
    }

    test(s"rows of $kind: after clear, positions start anew for readers that stood elsewhere") {
      val wrong = inTask { () =>
        withLog(types, size) { (log, project) =>
          val reader = log.reader()
          (1 to 50).map { round =>
            val n = round * 37
            (0 until n).foreach(i => log.append(project(row(i.toLong * round, types))))
            val bad = (n / 2 until n).count(i => !same(reader(i.toLong), i.toLong * round, types))
            log.clear()
            bad
          }.sum
        }
      }
      assertEquals(wrong, 0)
    }
  }

  test("a chunk that a reader stands in is not taken from under it") {
    val stillThere = inTask { () =>
      withLog(Array[DataType](LongType), 16) { (log, project) =>
        (0L until Rows).foreach(i => log.append(project(InternalRow(i))))
        val reader = log.reader()
        val held = reader(10)
        log.spill(Long.MaxValue, new Hog(TaskContext.get()))
        held.getLong(0)
      }
    }
    assertEquals(stillThere, 10L)
  }
}

object RowLogSuite {
  val Rows = 100000L

  def row(i: Long, types: Array[DataType]): InternalRow =
    if (types.length == 1) InternalRow(i) else InternalRow(i, UTF8String.fromString("x" * (i % 40).toInt))

  def same(got: UnsafeRow, i: Long, types: Array[DataType]): Boolean =
    got.getLong(0) == i && (types.length == 1 || got.getUTF8String(1).numBytes == i % 40)

  def withLog[T](types: Array[DataType], size: Int)(body: (RowLog, UnsafeProjection) => T): T = {
    val resources = new TaskResources(TaskContext.get())
    val log = new RowLog(resources, types.length, size)
    try body(log, UnsafeProjection.create(types))
    finally log.close()
  }

  /** Another consumer of the task's memory. */
  final class Hog(memory: TaskMemoryManager) extends MemoryConsumer(memory, memory.getTungstenMemoryMode) {
    def this(context: TaskContext) = this(new TaskResources(context).memory)
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
  }
}
