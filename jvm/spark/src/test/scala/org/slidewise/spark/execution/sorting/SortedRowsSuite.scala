package org.slidewise.spark.execution.sorting

import java.io.IOException

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.{FailingCodec, SparkSuite}
import org.slidewise.spark.execution.columns.FieldVector
import org.slidewise.spark.execution.task.Tasks

/** What a spill of sorted rows leaves behind when it cannot be finished. */
class SortedRowsSuite extends SparkSuite {
  import SortedRowsSuite._

  private val folder = java.nio.file.Files.createTempDirectory("slidewise").toString

  override protected def settings: Map[String, String] =
    Map("spark.io.compression.codec" -> classOf[FailingCodec].getName, "spark.local.dir" -> folder)

  for (read <- Seq(0, 1, 100, 5000))
    test(s"after $read rows, a full disk leaves no file, and the rows stay readable") {
      val (thrown, files, ids) = inTask { () =>
        withRows { (sorter, rows) =>
          val before = rows.take(read).map(_.getLong(0)).toVector
          val thrown = FailingCodec.failing(Tasks.thrownBy(sorter.spill(Long.MaxValue, sorter)))
          (thrown, Tasks.temporaryFiles(), before ++ rows.map(_.getLong(0)))
        }
      }
      assertEquals(thrown, classOf[IOException].getSimpleName)
      assertEquals(files, Nil)
      assertEquals(ids, expected)
    }

  test("after a failed spill, another succeeds, and its file is deleted in the end") {
    val (thrown, freed, during, ids) = inTask { () =>
      withRows { (sorter, rows) =>
        val before = rows.take(300).map(_.getLong(0)).toVector
        val thrown = FailingCodec.failing(Tasks.thrownBy(sorter.spill(Long.MaxValue, sorter)))
        val next = rows.next().getLong(0)
        val freed = sorter.spill(Long.MaxValue, sorter)
        (thrown, freed, Tasks.temporaryFiles().size, (before :+ next) ++ rows.map(_.getLong(0)))
      }
    }
    assertEquals(thrown, classOf[IOException].getSimpleName)
    assert(freed > 0)
    assertEquals(during, 1)
    assertEquals(ids, expected)
    assertEquals(inTask(() => Tasks.temporaryFiles()), Nil)
  }

  for (batches <- Seq(false, true))
    test(s"texts of the current ${if (batches) "batch" else "row"} stay as they are when the rows spill") {
      val (kept, freed, following) = inTask { () =>
        withTexts(wholeRows = !batches) { (sorter, sorted) =>
          val held = if (batches) {
            val batch = sorted.batches(Seq(LongType, StringType)).drop(3).next()
            Seq.tabulate(batch.numRows)(row =>
              batch.column(0).getLong(row) -> batch.column(1).getUTF8String(row)
            )
          } else {
            val row = sorted.rows.drop(Rows / 2).next()
            Seq(row.getLong(0) -> row.getUTF8String(1))
          }
          val freed = sorter.spill(Long.MaxValue, sorter)
          fillMemory()
          val kept = held.forall { case (id, text) => text == textOf(id) }
          val following = if (batches) -1L else sorted.rows.next().getLong(0)
          (kept, freed, following)
        }
      }
      assert(kept)
      assert(freed > 0)
      if (!batches) assertEquals(following, Rows / 2 + 1L)
    }

  test("the page of the current row is given back with the next one") {
    val (kept, left) = inTask { () =>
      withTexts(wholeRows = true) { (sorter, sorted) =>
        sorted.rows.next()
        sorter.spill(Long.MaxValue, sorter)
        val kept = Tasks.resources().memory.getMemoryConsumptionForThisTask
        sorted.rows.next()
        (kept, Tasks.resources().memory.getMemoryConsumptionForThisTask)
      }
    }
    assert(kept > 0)
    assertEquals(left, 0L)
  }

  test("rows without columns are sorted") {
    val found = inTask { () =>
      val spec = new SortSpec(Nil, Seq(SortOrder(Literal(1), Ascending)), radixInSpark = false, peers = 1)
      val sorter = new PartitionSorter(Tasks.resources(), Nil, spec)
      try sorter.sort(Iterator.fill(10)(new UnsafeRow(0))).map(_.numFields).toList
      finally sorter.close()
    }
    assertEquals(found, List.fill(10)(0))
  }

  test("a cancelled task stops to spill, and leaves no file") {
    val (thrown, files) = inTask { () =>
      withRows { (sorter, rows) =>
        rows.next()
        Tasks.cancel()
        (Tasks.thrownBy(sorter.spill(Long.MaxValue, sorter)), Tasks.temporaryFiles())
      }
    }
    assertEquals(thrown, "TaskKilledException")
    assertEquals(files, Nil)
  }
}

object SortedRowsSuite {
  private val Rows = 20000
  private val id = AttributeReference("id", LongType, nullable = false)()

  private def withRows[T](body: (PartitionSorter, Iterator[InternalRow]) => T): T = {
    val spec =
      new SortSpec(
        Seq(Remainder(id, Literal(2L))),
        Seq(SortOrder(id, Descending)),
        radixInSpark = false,
        peers = 1
      )
    val sorter = new PartitionSorter(Tasks.resources(), Seq(id), spec)
    val project = UnsafeProjection.create(Seq[Expression](id), Seq(id))
    try body(sorter, sorter.sort(Iterator.range(0, Rows).map(i => project(InternalRow(i.toLong)))))
    finally sorter.close()
  }

  def textOf(id: Long): UTF8String = UTF8String.fromString(s"$id " * 30)

  /** Sorts rows by their number, with a text each, in pages of up to a few MiB. */
  private def withTexts[T](wholeRows: Boolean)(body: (PartitionSorter, SortResult) => T): T = {
    val columns = Seq(id, AttributeReference("text", StringType)())
    val spec = new SortSpec(Nil, Seq(SortOrder(id, Ascending)), radixInSpark = false, peers = 1)
    val sorter = new PartitionSorter(Tasks.resources(), columns, spec, wholeRows = wholeRows)
    val project = UnsafeProjection.create(columns, columns)
    val rows = Iterator.range(0, Rows).map(i => project(InternalRow(i.toLong, textOf(i.toLong))))
    try body(sorter, sorter.sort(rows, _ => if (wholeRows) None else Some(NoResults)))
    finally sorter.close()
  }

  private object NoResults extends SortedResults {
    override def evaluate(from: Int, until: Int, into: Array[FieldVector]): Int = until
  }

  /** Takes pages of the sizes that a log has, which Spark's allocator keeps for the next one who asks, and fills them. */
  private def fillMemory(): Unit = {
    val filler = new Filler
    for (exponent <- 16 to 24; _ <- 1 to 4) filler.fill(1L << exponent)
    filler.close()
  }

  final private class Filler extends MemoryConsumer(Tasks.resources().memory, MemoryMode.ON_HEAP) {
    private var pages = List.empty[MemoryBlock]

    def fill(bytes: Long): Unit = {
      val page = allocatePage(bytes)
      Platform.setMemory(page.getBaseObject, page.getBaseOffset, page.size, 'x'.toByte)
      pages ::= page
    }
    def close(): Unit = pages.foreach(freePage)
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
  }

  private val expected: Seq[Long] =
    (0L until Rows).filter(_ % 2 == 0).reverse ++ (0L until Rows).filter(_ % 2 == 1).reverse
}
