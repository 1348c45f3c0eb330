package org.slidewise.spark.execution.sorting

import java.io.IOException

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.{FailingCodec, SparkSuite}
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

  private val expected: Seq[Long] =
    (0L until Rows).filter(_ % 2 == 0).reverse ++ (0L until Rows).filter(_ % 2 == 1).reverse
}
