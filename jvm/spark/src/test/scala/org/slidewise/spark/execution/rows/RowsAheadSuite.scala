package org.slidewise.spark.execution.rows

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.Tasks

/** Rows that are read before their turn, and come again when it is theirs. */
class RowsAheadSuite extends SparkSuite {
  import RowsAheadSuite._

  private def taken(count: Int)(body: RowsAhead => Seq[Long]): (Seq[Long], Long) =
    inTask(() => takenOf(count, body))

  test("rows that nobody reads ahead pass through") {
    assertEquals(taken(10)(rest), ((0L until 10L).toList, 0L))
  }

  test("the row that ends a look ahead comes again as well") {
    assertEquals(taken(10)(rows => peeked(rows, until = 4) ++ rest(rows))._1, (0L to 4L) ++ (0L until 10L))
  }

  test("a look ahead begins with the rows that an earlier one has read") {
    val found = taken(100) { rows =>
      val first = peeked(rows, until = 50)
      val some = Seq.fill(20)(rows.next().getLong(0))
      first ++ some ++ peeked(rows, until = 30) ++ peeked(rows, until = 70) ++ rest(rows)
    }
    assertEquals(found._1, (0L to 50L) ++ (0L until 20L) ++ (20L to 30L) ++ (20L to 70L) ++ (20L until 100L))
  }

  test("a look ahead beyond the last row ends there") {
    assertEquals(
      taken(5)(rows => peeked(rows, 100) ++ rest(rows) ++ peeked(rows, 100))._1,
      (0L until 5L) ++ (0L until 5L)
    )
  }

  test("any mixture of looks and steps takes each row once, in order") {
    (0 until 20).foreach { seed =>
      val random = new Random(seed)
      val (found, left) = taken(20000) { rows =>
        val all = ArrayBuffer.empty[Long]
        while (rows.hasNext)
          if (random.nextInt(4) == 0) {
            val seen = peeked(rows, all.size.toLong + random.nextInt(3000))
            if (seen != (all.size.toLong until all.size.toLong + seen.size)) all += -1L
          } else (0 to random.nextInt(2000)).foreach(_ => if (rows.hasNext) all += rows.next().getLong(0))
        all.toList
      }
      assertEquals(found, (0L until 20000L).toList, s"seed $seed")
      assertEquals(left, 0L)
    }
  }

  test("rows that wait for their turn go to files when memory is short") {
    val (found, spilled) = inTask { () =>
      val rows = new RowsAhead(numbers(200000), newLog)
      val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
      try {
        peeked(rows, 150000)
        hog.takeAllBut(0L)
        (rest(rows) == (0L until 200000L), rows.spilledBytes)
      } finally {
        hog.close()
        rows.close()
      }
    }
    assert(found)
    assert(spilled > 0L)
  }
}

private object RowsAheadSuite {

  /** The numbers from 0 to `count`, each in the same object. */
  private def numbers(count: Int): Iterator[InternalRow] = {
    val row = UnsafeRow.createFromByteArray(16, 1)
    Iterator.range(0, count).map { i =>
      row.setLong(0, i.toLong)
      row
    }
  }

  private def newLog: () => RowLog = {
    val resources = Tasks.resources()
    () => new RowLog(resources, fields = 1, rowSize = 16)
  }

  /** What `body` finds, and the memory that is left then. */
  private def takenOf(count: Int, body: RowsAhead => Seq[Long]): (Seq[Long], Long) = {
    val rows = new RowsAhead(numbers(count), newLog)
    val found =
      try body(rows).toList
      finally rows.close()
    (found, Tasks.resources().memory.getMemoryConsumptionForThisTask)
  }

  private def peeked(rows: RowsAhead, until: Long): Seq[Long] = {
    val seen = ArrayBuffer.empty[Long]
    rows.peek { row =>
      seen += row.getLong(0)
      row.getLong(0) < until
    }
    seen.toList
  }

  private def rest(rows: RowsAhead): Seq[Long] =
    Iterator.continually(rows).takeWhile(_.hasNext).map(_.next().getLong(0)).toList
}
