package org.slidewise.spark.execution.blocks

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.Unhurried

/** Rows that are encoded as blocks, and decoded. */
class BlockFormatSuite extends Unhurried {

  private def staged(layout: BlockLayout, rows: Seq[UnsafeRow]): StagedRows = {
    val stage = new StagedRows(layout)
    // Rows that come after the stage grew lie beside those before.
    val half = rows.size / 2
    for ((part, size) <- Seq(rows.take(half) -> half, rows.drop(half) -> rows.size)) {
      stage.resize(size, stage.used + part.map(_.getSizeInBytes).sum)
      part.foreach(stage.add)
    }
    stage
  }

  private def encoded(layout: BlockLayout, rows: Seq[UnsafeRow], encoder: RowsEncoder): UnsafeRow = {
    val size = encoder.encode(staged(layout, rows))
    val block = new UnsafeRow(0)
    block.pointTo(java.util.Arrays.copyOf(encoder.bytes, size), Platform.BYTE_ARRAY_OFFSET.toLong, size)
    block
  }

  private def encoded(types: Array[DataType], rows: Seq[UnsafeRow]): UnsafeRow = {
    val layout = new BlockLayout(types)
    encoded(layout, rows, new BlockEncoder(layout, hashed = true))
  }

  private def decoded(
      types: Array[DataType],
      blocks: Seq[UnsafeRow],
      plain: Boolean = false
  ): Seq[UnsafeRow] =
    new BlockRows(blocks.iterator, new BlockLayout(types), plain)
      .map(_.asInstanceOf[UnsafeRow].copy())
      .toList

  test("the rows of blocks are byte for byte those that were staged, in their order") {
    for (seed <- 0 until 400) {
      val random = new Random(seed)
      val types = RandomRows.types(random, if (seed % 10 == 0) 150 else 8)
      val rows = Seq.fill(1 + random.nextInt(4))(RandomRows.rows(types, random, 1 + random.nextInt(200)))
      val layout = new BlockLayout(types)
      val encoder = new BlockEncoder(layout, hashed = seed % 2 == 0)
      val found = decoded(types, rows.map(encoded(layout, _, encoder)))
      assertEquals(found, rows.flatten, s"seed $seed: ${types.mkString(", ")}")
      val plain = new PlainEncoder(layout)
      val foundPlain = decoded(types, rows.map(encoded(layout, _, plain)), plain = true)
      assertEquals(foundPlain, rows.flatten, s"plain, seed $seed: ${types.mkString(", ")}")
    }
  }

  test("each type, with and without nulls, alone in its rows") {
    for (dataType <- RandomRows.Types; seed <- 0 until 40) {
      val rows = RandomRows.rows(Array(dataType), new Random(seed), 1 + seed * 3)
      assertEquals(
        decoded(Array(dataType), Seq(encoded(Array(dataType), rows))),
        rows,
        s"$dataType, seed $seed"
      )
    }
  }

  test("integers at the ends of 64 bits, as they are, as a range and as steps") {
    val ends = Seq(Long.MinValue, Long.MinValue + 1, -1L, 0L, 1L, Long.MaxValue - 1, Long.MaxValue)
    val of = UnsafeProjection.create(Array[DataType](LongType))
    for (first <- ends; second <- ends; third <- ends) {
      val rows = Seq(first, second, third, third, second).map(n => of(InternalRow(n)).copy())
      assertEquals(
        decoded(Array(LongType), Seq(encoded(Array(LongType), rows))),
        rows,
        (first, second, third)
      )
    }
    for (width <- 0 to 8; sign <- Seq(1L, -1L)) {
      val greatest = if (width == 8) Long.MaxValue else (1L << 8 * width) - 1
      assertEquals(BlockEncoder.widthOf(greatest), width)
      val rows = Seq(0L, greatest * sign, 1L, greatest * sign).map(n => of(InternalRow(n)).copy())
      assertEquals(decoded(Array(LongType), Seq(encoded(Array(LongType), rows))), rows, width)
    }
  }

  test("a row takes as many bytes as its values need") {
    def bytesARow(dataType: DataType)(value: Int => Any): Double = {
      val of = UnsafeProjection.create(Array(dataType))
      def size(rows: Int) =
        encoded(Array(dataType), (0 until rows).map(i => of(InternalRow(value(i))).copy())).getSizeInBytes
      (size(2000) - size(1000)) / 1000.0
    }
    def exactly(found: Double, expected: Int): Unit =
      assert(math.abs(found - expected) < 0.01, (found, expected))
    exactly(bytesARow(LongType)(_ => 123456789012L), 0)
    exactly(bytesARow(LongType)(i => 123456789012L + 7 * i), 0)
    exactly(bytesARow(LongType)(i => 1L << 50 | i % 250), 1)
    exactly(bytesARow(IntegerType)(i => i % 200 - 100), 1)
    exactly(bytesARow(ShortType)(i => (if (i % 2 == 0) -1 else 1).toShort), 1)
    exactly(bytesARow(TimestampType)(i => 1700000000000000L + i * 1000000L + i % 3), 1)
    exactly(bytesARow(IntegerType)(i => i * 7919), 0)
    exactly(bytesARow(IntegerType)(i => i * i * 79), 3)
    exactly(bytesARow(DateType)(i => if (i % 9 == 0) null else 20000 + i % 250), 2)
  }

  test("few distinct values are written once, and repeated ones are found in any number") {
    val of = UnsafeProjection.create(Array[DataType](StringType))
    def rows(count: Int, distinct: Int, size: Int) = (0 until count).map { i =>
      val text = "x" * size + i % distinct + "y" * (i % distinct % 9)
      of(InternalRow(UTF8String.fromString(text))).copy()
    }
    for (
      count <- Seq(1, 31, 32, 33, 300, 3000); distinct <- Seq(1, 2, 31, 255, 256, 257, 3000);
      size <- Seq(0, 7, 8, 40)
    ) {
      val found = rows(count, distinct, size)
      assertEquals(
        decoded(Array(StringType), Seq(encoded(Array(StringType), found))),
        found,
        (count, distinct, size)
      )
    }
    val repeated = encoded(Array(StringType), rows(3000, 256, 40)).getSizeInBytes
    assert(repeated < 3000 + 256 * 60, repeated)
    val all = rows(3000, 3000, 40)
    assert(encoded(Array(StringType), all).getSizeInBytes < all.map(_.getSizeInBytes).sum)
  }

  test("rows without columns count") {
    val rows = Seq.fill(7)(UnsafeRow.createFromByteArray(0, 0))
    assertEquals(decoded(Array.empty, Seq(encoded(Array.empty[DataType], rows))).size, 7)
  }

  test("the sum of the rows' hashes depends on the rows, and neither on their order nor on their blocks") {
    def sum(types: Array[DataType], blocks: Seq[Seq[UnsafeRow]]): Long =
      blocks.filter(_.nonEmpty).map(rows => BlockEncoder.sumOf(encoded(types, rows))).sum
    def counted(rows: Seq[UnsafeRow]) = rows.groupBy(identity).map { case (row, equal) => row -> equal.size }
    for (seed <- 0 until 50) {
      val random = new Random(seed)
      val types = Array[DataType](LongType) ++ RandomRows.types(random, 8)
      val rows = RandomRows.rows(Array[DataType](LongType) ++ types.tail, random, 50)
      val expected = sum(types, Seq(rows))
      assertEquals(sum(types, Seq(rows.reverse)), expected)
      assertEquals(sum(types, random.shuffle(rows).grouped(7).toSeq), expected)
      val other = RandomRows.rows(types, new Random(seed + 1000), 1)
      for (changed <- Seq(rows.tail, rows :+ rows.head, other ++ rows.tail, rows.tail ++ rows.tail.take(1)))
        assertEquals(sum(types, Seq(changed)) == expected, counted(changed) == counted(rows), s"seed $seed")
    }
  }

  test("without a need for hashes there are none") {
    val types = Array[DataType](LongType)
    val layout = new BlockLayout(types)
    val block =
      encoded(layout, RandomRows.rows(types, new Random(1), 9), new BlockEncoder(layout, hashed = false))
    assertEquals(BlockEncoder.sumOf(block), 0L)
  }
}
