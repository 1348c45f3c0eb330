package org.slidewise.spark.execution.sorting

import scala.util.Random

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
      Array(0, rows),
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

  for {
    keys <- 0 to 2
    nullsFirst <- Seq(true, false)
    nulls <- Seq(0, 3, 100)
    (times, time) <- Seq[(String, Random => Long)](
      "few times" -> (_.nextInt(300).toLong),
      "times" -> (_.nextLong())
    )
    (what, value) <- Seq[(String, Random => Long)](
      "few keys" -> (_.nextInt(5).toLong),
      "many keys" -> (_.nextInt(50000).toLong - 20000 ^ Long.MinValue),
      "keys of 64 bits" -> (_.nextLong()),
      "one key far from the others" -> (random =>
        if (random.nextInt(1000) == 0) -1L else random.nextInt(100).toLong
      )
    )
  }
    test(
      s"clusters, $what, $times, $nulls % nulls, first: $nullsFirst, $keys columns of partitions: the same order as without"
    ) {
      val random = new Random(1)
      val data = new LongColumns(3)
      data.resize(200000)
      for (row <- 0 until 200000) {
        if (random.nextInt(100) < nulls) data.setNull(0, row) else data.set(0, row, value(random))
        if (random.nextInt(100) < nulls / 2) data.setNull(1, row) else data.set(1, row, time(random))
        data.set(2, row, row.toLong)
      }
      val (first, second) = (SortColumn(0, nullsFirst), SortColumn(1, nullsFirst = !nullsFirst))
      def sorted(clusters: Array[Int]) = {
        val (partition, order) = Seq(first, second).splitAt(keys)
        new RadixOrder(
          data,
          clusters,
          partition,
          order,
          None,
          new PeerOrder(Seq(1), None),
          nullsMoveTies = false,
          () => ()
        )
      }
      def read(order: RadixOrder) = {
        val starts = Iterator.iterate(0)(order.endOfPartition).takeWhile(_ < order.size).toList
        (order.rows.map(data(2)(_)).toList, if (keys < 2) order.keys.toList else Nil, starts)
      }
      val expected = read(sorted(Array(0, 200000)))
      val clusters = new RowClusters(data, 200000, Seq(first, second), () => ())
      clusters.move(data, Array.emptyLongArray)
      assertEquals(clusters.starts.last, 200000)
      val found = read(sorted(clusters.starts))
      assert(found == expected, s"${clusters.starts.length} clusters")
    }

  test("constant columns take no clusters, and nulls one") {
    val (rows, constants) = (1 << 17, 30)
    val data = new LongColumns(constants + 2)
    data.resize(rows)
    for (row <- 0 until rows) {
      if (row % 3 == 0) data.setNull(constants, row) else data.set(constants, row, row % 3L)
      data.set(constants + 1, row, row.toLong)
    }
    for (nullsFirst <- Seq(true, false)) {
      val columns = Seq.range(0, constants + 2).map(SortColumn(_, nullsFirst))
      val clusters = new RowClusters(data, rows, columns, () => ())
      assert(clusters.starts.length <= 9, clusters.starts.length)
      clusters.move(data, Array.emptyLongArray)
      val values = (0 until rows).map { row =>
        if (data.isNull(constants, row)) if (nullsFirst) -1L else Long.MaxValue else data(constants)(row)
      }
      assertEquals(values, values.sorted)
    }
  }
}
