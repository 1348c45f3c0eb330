package org.slidewise.spark.execution.exchange

import scala.util.Random

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

class RowBlockSuite extends FunSuite {
  private val project = UnsafeProjection.create(
    Seq(BoundReference(0, LongType, nullable = true), BoundReference(1, StringType, nullable = true))
  )

  private def randomRow(random: Random): UnsafeRow = {
    val text = if (random.nextInt(4) == 0) null else UTF8String.fromString("x" * random.nextInt(30))
    project(InternalRow(if (random.nextInt(5) == 0) null else random.nextLong(), text)).copy()
  }

  /** The rows in blocks of these sizes, one after the other in the same bytes. */
  private def blocks(rows: Seq[UnsafeRow], sizes: Seq[Int]): Iterator[InternalRow] = {
    val bytes = new Array[Byte](rows.map(RowBlock.bytesOf).sum)
    val block = new UnsafeRow(0)
    var end = 0
    var left = rows
    sizes.iterator.map { size =>
      val from = end
      left.take(size).foreach(row => end = RowBlock.put(row, bytes, end))
      left = left.drop(size)
      RowBlock.point(block, bytes, from, end)
      block
    }
  }

  test("the rows of blocks are those that were put, in their order") {
    for (seed <- 0 until 200) {
      val random = new Random(seed)
      val sizes = Seq.fill(random.nextInt(5))(1 + random.nextInt(6))
      val rows = Seq.fill(sizes.sum)(randomRow(random))
      val found = RowBlock.rows(blocks(rows, sizes), fields = 2).map(_.copy()).toSeq
      assertEquals(found, rows: Seq[InternalRow])
    }
  }

  test("rows without columns count") {
    val empty = UnsafeRow.createFromByteArray(0, 0)
    assertEquals(RowBlock.rows(blocks(Seq.fill(7)(empty), Seq(3, 4)), fields = 0).size, 7)
  }
}
