package org.slidewise.spark.execution.sorting

import munit.FunSuite

class RadixOrderSuite extends FunSuite {

  private val rows = 3 << 20

  private def columns(keys: Int, values: Int): LongColumns = {
    val columns = new LongColumns(2)
    columns.resize(rows)
    for (row <- 0 until rows) {
      val mixed = row * 0x9e3779b97f4a7c15L >>> 1
      columns.set(0, row, mixed % keys)
      columns.set(1, row, mixed / keys % values)
    }
    columns
  }

  private def order(columns: LongColumns, checkpoint: Runnable) =
    new RadixOrder(columns, rows, Seq(SortColumn(0, true)), Seq(SortColumn(1, true)), None, checkpoint)

  for ((what, keys) <- Seq(("a partition", 1), ("small partitions", 200000)))
    test(s"$what: sorts, and comes to a checkpoint once in about a million rows") {
      var calls = 0
      val sorted = order(columns(keys, 1000), () => calls += 1)
      val data = columns(keys, 1000)
      def sortKey(place: Int) = {
        val row = sorted.rows(place)
        (data(0)(row), data(1)(row), row)
      }
      assert((1 until rows).forall(i => Ordering[(Long, Long, Int)].lt(sortKey(i - 1), sortKey(i))))
      assert(calls >= 6, calls)
    }

  test("a checkpoint that throws ends the sort, whichever it is") {
    val data = columns(1, 1 << 30)
    for (last <- Seq(1, 3, 6, 9)) {
      var calls = 0
      intercept[IllegalStateException] {
        order(
          data,
          () => {
            calls += 1
            if (calls == last) throw new IllegalStateException("cancelled")
          }
        )
      }
      assertEquals(calls, last)
    }
  }
}
