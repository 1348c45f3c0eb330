package org.slidewise.spark.expressions

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateMutableProjection
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, LongType}

import org.slidewise.spark.SparkSuite

class BlockedBloomFilterSuite extends SparkSuite {

  private def filterOf(hashes: Iterable[Long], words: Int): BlockedBloomFilter = {
    val filter = BlockedBloomFilter.empty(words)
    hashes.foreach(filter.add)
    filter
  }

  private def random(seed: Int, n: Int): Seq[Long] = {
    val random = new Random(seed)
    Seq.fill(n)(random.nextLong())
  }

  test("a filter holds the hashes that were added, however many they are") {
    for (words <- Seq(1, 2, 64, 4096); n <- Seq(0, 1, 100, 20000)) {
      val hashes = random(words + n, n) ++ Seq(0L, -1L, Long.MinValue, Long.MaxValue)
      val filter = filterOf(hashes, words)
      assert(hashes.forall(filter.mightContain), s"$n hashes in $words words")
    }
  }

  test("less than 1.5 % of other hashes pass, where the filter has the words for its hashes") {
    for (n <- Seq(1000, 4096, 100000)) {
      val filter = filterOf(random(1, n), BlockedBloomFilter.words(n))
      val passed = random(2, 200000).count(filter.mightContain) / 200000.0
      assert(passed < 0.015, s"$passed of other hashes pass a filter of $n")
    }
    assert(!random(3, 1000).exists(BlockedBloomFilter.empty(1).mightContain))
  }

  test("a filter has about as many words as a quarter of its hashes, and at most those of Spark's filters") {
    assertEquals(Seq(0L, 1L, 7L, 8L, 12L, 4096L).map(BlockedBloomFilter.words), Seq(1, 1, 1, 2, 4, 1024))
    val most = SQLConf.get.getConf(SQLConf.RUNTIME_BLOOM_FILTER_NUM_BITS) / 64
    assertEquals(BlockedBloomFilter.words(Long.MaxValue).toLong, most)
  }

  test("partial filters, sent as bytes, make up the filter of all hashes") {
    val aggregate = BlockedBloomFilterAggregate(BoundReference(0, LongType, nullable = true), 256)
    def buffer(hashes: Seq[Any]) =
      hashes.foldLeft(aggregate.createAggregationBuffer())((b, hash) =>
        aggregate.update(b, InternalRow(hash))
      )
    val (some, others) = random(4, 900).splitAt(300)
    val merged = Seq(buffer(some :+ null), buffer(others), buffer(Nil))
      .map(aggregate.serialize)
      .map(aggregate.deserialize)
      .reduce(aggregate.merge(_, _))
    val bytes = aggregate.eval(merged).asInstanceOf[Array[Byte]]
    assertEquals(bytes.toSeq, filterOf(some ++ others, 256).toBytes.toSeq)
  }

  test("compiled and interpreted tests agree; of no filter they are null") {
    val held = random(5, 50)
    val filter = Literal(filterOf(held, 16).toBytes)
    val hash = BoundReference(0, LongType, nullable = false)
    for (
      bytes <- Seq(filter, Literal.create(null, BinaryType)); of <- Seq(hash, Literal(held.head), Literal(7L))
    ) {
      val test = BlockedBloomFilterMightContain(bytes, of)
      val compiled = GenerateMutableProjection.generate(Seq(test))
      for (row <- (held ++ random(6, 500)).map(InternalRow(_)))
        assertEquals(compiled(row).get(0, test.dataType), test.eval(row), s"$test of $row")
      assertEquals(test.eval(InternalRow(held.head)) == null, bytes.value == null)
    }
    assert(held.forall(h => BlockedBloomFilterMightContain(filter, Literal(h)).eval() == true))
  }
}
