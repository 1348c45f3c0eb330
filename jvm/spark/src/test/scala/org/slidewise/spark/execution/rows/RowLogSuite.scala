package org.slidewise.spark.execution.rows

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, TaskMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.{TaskResources, Tasks}

class RowLogSuite extends SparkSuite {
  import RowLogSuite._

  private val page = 256L << 10

  override protected def settings: Map[String, String] = Map(
    "spark.local.dir" -> java.nio.file.Files.createTempDirectory("slidewise").toString,
    "spark.buffer.pageSize" -> page.toString
  )

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
          val places =
            Seq.fill(500)(random.nextInt(Rows.toInt).toLong) ++ (1000L until 3000L) ++ (0L until 300L).reverse
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

  test("a log with 100,000 rows gives all but one page back when memory is asked for") {
    val (before, after) = inTask { () =>
      withLog(Array[DataType](LongType), 16) { (log, project) =>
        (0L until Rows).foreach(i => log.append(project(InternalRow(i))))
        val before = log.getUsed
        log.spill(Long.MaxValue, new Hog(TaskContext.get()))
        (before, log.getUsed)
      }
    }
    assert(before > 4 * page, before)
    assert(after <= page, after)
  }

  test("a file is read in blocks of bounded size, a larger row by itself") {
    val (wrong, sizes) = inTask { () =>
      val types = Array[DataType](LongType, StringType)
      withLog(types, -1) { (log, project) =>
        def length(i: Long) = if (i % 500 == 7) 300000 else (i % 3000).toInt
        (0L until 5000L).foreach { i =>
          log.append(project(InternalRow(i, UTF8String.fromString("x" * length(i)))))
        }
        log.spill(Long.MaxValue, new Hog(TaskContext.get()))
        val sizes = for {
          chunk <- log.eachChunk if chunk.file != null
          block <- 0 to chunk.blockOf((chunk.endRow - chunk.firstRow).toInt - 1)
        } yield (chunk.file.size(block), chunk.endRowOf(block) - chunk.firstRowOf(block))
        val random = new Random(3)
        val reader = log.reader()
        val places =
          (0L until 5000L) ++ (0L until 5000L).reverse ++ Seq.fill(300)(random.nextInt(5000).toLong)
        val wrong = places.count { i =>
          val row = reader(i)
          row.getLong(0) != i || row.getUTF8String(1).numBytes != length(i)
        }
        (wrong, sizes)
      }
    }
    assertEquals(wrong, 0)
    assert(sizes.size > 10, sizes)
    assert(sizes.forall { case (bytes, rows) => bytes <= RowChunk.BlockBytes || rows == 1 }, sizes)
    assert(sizes.exists(_._1 > RowChunk.BlockBytes))
  }

  test("a cancelled task stops to spill, leaves no file, and its rows stay readable") {
    val (thrown, files, wrong) = inTask { () =>
      val types = Array[DataType](LongType)
      withLog(types, 16) { (log, project) =>
        (0L until Rows).foreach(i => log.append(project(InternalRow(i))))
        Tasks.cancel()
        val thrown = Tasks.thrownBy(log.spill(Long.MaxValue, new Hog(TaskContext.get())))
        val reader = log.reader()
        (thrown, Tasks.temporaryFiles(), (0L until Rows).count(i => !same(reader(i), i, types)))
      }
    }
    assertEquals(thrown, "TaskKilledException")
    assertEquals(files, Nil)
    assertEquals(wrong, 0)
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
