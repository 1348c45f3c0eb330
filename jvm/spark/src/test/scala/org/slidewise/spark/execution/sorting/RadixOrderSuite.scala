package org.slidewise.spark.execution.sorting

import munit.FunSuite

class RadixOrderSuite extends FunSuite {

  private val rows = 2 << 20

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
    new RadixOrder(
      columns,
      rows,
      Seq(SortColumn(0, true)),
      Seq(SortColumn(1, true)),
      None,
      new PeerOrder(Seq(1), None),
      nullsMoveTies = false,
      checkpoint
    )

  for ((what, keys) <- Seq(("a partition", 1), ("small partitions", 200000)))
    test(s"$what: sorts, and comes to a checkpoint once in about a million rows") {
      var calls = 0
      val sorted = order(columns(keys, 1000), () => calls += 1)
      val data = columns(keys, 1000)
      def isBefore(a: Int, b: Int) = {
        val byPartition = java.lang.Long.compare(data(0)(a), data(0)(b))
        val byValue = java.lang.Long.compare(data(1)(a), data(1)(b))
        byPartition < 0 || byPartition == 0 && (byValue < 0 || byValue == 0 && a < b)
      }
      assert((1 until rows).forall(i => isBefore(sorted.rows(i - 1), sorted.rows(i))))
      assert(calls >= 5, calls)
    }

  test("a checkpoint that throws ends the sort, whichever it is") {
    val data = columns(1, 1 << 30)
    for (last <- 1 to 5) {
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
