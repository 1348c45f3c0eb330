package org.slidewise.spark.execution.parallel

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.Unhurried

class SplittersSuite extends Unhurried {
  private val number = AttributeReference("n", LongType)()
  private val fraction = AttributeReference("d", DoubleType)()
  private val text = AttributeReference("s", StringType)()
  private val flag = AttributeReference("f", LongType)()
  private val edge = AttributeReference("e", LongType)()
  private val input = Seq(number, fraction, text, flag, edge)

  private def rows(random: Random, count: Int, distinct: Int): Seq[UnsafeRow] = {
    val unsafe = UnsafeProjection.create(input.map(_.dataType).toArray)
    def maybe(value: Any): Any = if (random.nextInt(10) == 0) null else value
    Seq.fill(count) {
      val d = Seq(Double.NaN, -0.0, 0.0, Double.PositiveInfinity, random.nextInt(distinct) - distinct / 2.0)
      unsafe(
        InternalRow(
          maybe((random.nextInt(distinct) - distinct / 2) * (if (random.nextBoolean()) 1L else 1L << 50)),
          maybe(d(random.nextInt(d.size))),
          maybe(UTF8String.fromString(s"a common prefix ${random.nextInt(distinct)}")),
          // Mostly one value. A null has the bits of the least.
          if (random.nextInt(10) > 0) 0L
          else maybe(Seq(Long.MinValue, -1L, Long.MaxValue)(random.nextInt(3))),
          // Mostly one of two values with the same bits.
          Seq[Any](null, null, Long.MinValue, Long.MinValue, 0L)(random.nextInt(5))
        )
      ).copy()
    }
  }

  private val orders = Seq(
    Seq(SortOrder(number, Ascending)),
    Seq(SortOrder(number, Descending, NullsFirst, Nil)),
    Seq(SortOrder(fraction, Ascending, NullsLast, Nil), SortOrder(number, Descending)),
    Seq(SortOrder(text, Descending)),
    Seq(SortOrder(text, Ascending), SortOrder(fraction, Descending)),
    Seq(SortOrder(flag, Ascending), SortOrder(number, Descending), SortOrder(text, Ascending)),
    Seq(SortOrder(edge, Ascending), SortOrder(number, Ascending)),
    Seq(SortOrder(edge, Descending), SortOrder(flag, Ascending), SortOrder(number, Descending)),
    Nil
  )

  final private class OneRow(splitters: Splitters, override val row: UnsafeRow) extends RowKeys {
    override def bits(column: Int): Long = splitters.prefixColumns(column)(row)
  }

  private def sampleOf(
      order: RunOrder,
      hash: Option[RowHash],
      rows: Seq[UnsafeRow],
      most: Int
  ): KeySample = {
    val sample =
      if (hash.isDefined) new KeySample.ByContent(order.keys(input), hash.get, most)
      else new KeySample.ByPosition(order.keys(input), most)
    rows.foreach(sample.add)
    sample
  }

  private def placed(
      order: RunOrder,
      byContent: Boolean,
      rows: Seq[UnsafeRow],
      buckets: Int,
      hashed: Seq[Attribute] = input
  ) = {
    val hash = if (byContent) Some(new RowHash(hashed, input)) else None
    val splitters = sampleOf(order, hash, rows, 16 * buckets).splitters(buckets, order.ordering)
    val found = new Splitters(splitters, order, input, rows.size.toLong, hash)
    (rows.map(row => found.place(new OneRow(found, row)) -> row), found.index(aggregates = None))
  }

  for ((by, i) <- orders.zipWithIndex; byContent <- Seq(false, true))
    test(
      s"order $i, ${if (byContent) "by content" else "by position"}: buckets follow one another, and the index tells where"
    ) {
      for (seed <- 1 to 20) {
        val random = new Random(seed)
        val all = rows(random, 1 + random.nextInt(2000), 1 + random.nextInt(500))
        val order = RunOrder(Nil, by)
        val (buckets, index) = placed(order, byContent, all, 1 + random.nextInt(20))
        val key = order.keys(input)
        val ordering = order.ordering
        val least = index.newKey()
        assertEquals(index.rows, all.size.toLong)
        for ((bucket, row) <- buckets) {
          def compared(to: Int) = ordering.compare(key(row), index.pointTo(least, to))
          if (bucket > 0) assert(compared(bucket) >= 0, s"seed $seed")
          if (bucket + 1 < index.buckets) assert(compared(bucket + 1) <= 0, s"seed $seed")
        }
        for (bucket <- 0 until index.buckets)
          assertEquals(index.start(bucket), buckets.count(_._1 < bucket).toLong)
      }
    }

  test("rows of many keys are spread evenly, and so are rows of one key") {
    val order = RunOrder(Nil, orders.head)
    for (distinct <- Seq(1 << 20, 1); byContent <- Seq(false, true)) {
      val all = rows(new Random(7), 20000, distinct).filterNot(_.isNullAt(0))
      val (buckets, _) = placed(order, byContent, all, 10)
      val sizes = buckets.groupBy(_._1).map(_._2.size)
      // By content, the few different rows of one key may fall into one bucket. By position, no row is below the first splitter.
      if (distinct > 1 || !byContent)
        assert(sizes.max <= 2.1 * all.size / 10, s"$distinct, $byContent: $sizes")
    }
  }

  test("a sample by content does not depend on the order of the rows, and a placement neither") {
    for (seed <- 1 to 20) {
      val random = new Random(seed)
      val all = rows(random, 3000, 1 + random.nextInt(3000))
      val order = RunOrder(Nil, orders(seed % orders.size))
      val (one, oneIndex) = placed(order, byContent = true, all, 12)
      val (other, otherIndex) = placed(order, byContent = true, random.shuffle(all), 12)
      def contents(found: Seq[(Int, UnsafeRow)]) =
        found.groupBy(_._1).map { case (b, r) => b -> r.map(_._2.toString).sorted }
      assertEquals(contents(one), contents(other), s"seed $seed")
      assertEquals(
        (0 until oneIndex.buckets).map(oneIndex.start),
        (0 until otherIndex.buckets).map(otherIndex.start)
      )
    }
  }

  test("columns that are not hashed do not matter to a sample by content, nor to a placement") {
    for (seed <- 1 to 20) {
      val random = new Random(seed)
      // Many rows of few keys, which several buckets share.
      val all = rows(random, 3000, 1 + random.nextInt(20))
      val order = RunOrder(Nil, orders.head)
      val change =
        UnsafeProjection.create(Seq(number, Multiply(fraction, Literal(3.0)), text, flag, edge), input)
      def placedBy(rows: Seq[UnsafeRow]) =
        placed(order, byContent = true, rows, 12, hashed = Seq(number, text, flag, edge))._1.map(_._1)
      assertEquals(placedBy(all), placedBy(all.map(change(_).copy())), s"seed $seed")
    }
  }

  test("a sample of large keys has few of them, and the driver gets fewer still") {
    val unsafe = UnsafeProjection.create(input.map(_.dataType).toArray)
    val order = RunOrder(Nil, orders(3))
    for {
      bytes <- Seq(1 << 16, 1 << 19, 5 << 20)
      hash <- Seq(None, Some(new RowHash(input, input)))
    } {
      val all = (0 until 40).map { i =>
        val text = UTF8String.fromString(s"${10 + i}" + "x" * bytes)
        unsafe(InternalRow(i.toLong, 0.0, text, 0L, 0L)).copy()
      }
      val splitters = sampleOf(order, hash, all, most = 1000).splitters(256, order.ordering)
      val sizes = splitters.map(_.getSizeInBytes.toLong)
      assert(sizes.sum <= KeySample.MostSplitterBytes, s"$bytes: ${sizes.sum}")
      assertEquals(splitters.isEmpty, bytes > KeySample.MostSplitterBytes, s"$bytes")
      val found = new Splitters(splitters, order, input, all.size.toLong, hash)
      assertEquals(all.map(row => found.place(new OneRow(found, row))).distinct.size > 1, splitters.nonEmpty)
    }
  }
}
