package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import munit.FunSuite
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

class PendingRowsSuite extends FunSuite {

  final private class Source(rows: Seq[UnsafeRow]) extends RowSource {
    private var left = rows
    def head: UnsafeRow = left.headOption.orNull
    def advance(): Unit = left = left.tail
  }

  private def numbers(row: UnsafeRow) = (row.getLong(0), row.getLong(1))

  for (seed <- 1 to 12)
    test(s"rows leave by time and, within one time, by arrival, through stores and reopenings: $seed") {
      val random = new Random(seed)
      val cells = new CellsInMemory
      var pending = new PendingRows(cells, CellsInMemory.structure, 0)
      var model = Vector.empty[(Long, Long)]
      var number = 0L
      var watermark = 0L
      for (_ <- 1 to 60) {
        val size = if (random.nextInt(5) == 0) random.nextInt(3000) else random.nextInt(30)
        val spread = if (random.nextInt(3) == 0) 5 else 2000
        val arriving = Seq.fill(size)(watermark + 1 + random.nextInt(spread)).sorted.map { time =>
          number += 1
          CellsInMemory.row(time.toLong, number)
        }
        pending.addAll(new Source(arriving))
        model = (model ++ arriving.map(numbers)).sortBy(_._1)

        watermark += random.nextInt(600)
        val left = ArrayBuffer.empty[(Long, Long)]
        pending.startTaking()
        val most = if (random.nextBoolean()) Int.MaxValue else random.nextInt(700)
        while (left.size < most && pending.head(watermark) != null) {
          left += numbers(pending.head(watermark))
          pending.take()
        }
        pending.stopTaking()
        val (due, rest) = model.splitAt(left.size)
        assertEquals(left.toVector, due)
        assert(left.size == most || rest.headOption.forall(_._1 > watermark))
        model = rest
        watermark = math.min(watermark, rest.headOption.fold(Long.MaxValue)(_._1 - 1))
        assertEquals(pending.oldest, rest.headOption.fold(Long.MaxValue)(_._1))
        assertEquals(pending.isEmpty, rest.isEmpty)

        val out = new StateWriter
        pending.writeTo(out)
        pending = new PendingRows(cells, CellsInMemory.structure, 0)
        pending.reopen(ByteBuffer.wrap(out.result()))
      }
    }

  test("rows that come in order touch the last block alone") {
    val cells = new CellsInMemory
    val pending = new PendingRows(cells, CellsInMemory.structure, 0)
    for (i <- 1 to 100) pending.addAll(new Source(Seq.tabulate(100)(j => CellsInMemory.row(i * 100L + j, 1))))
    assertEquals(cells.puts, 10000 / PendingRows.RowsABlock)
  }
}
