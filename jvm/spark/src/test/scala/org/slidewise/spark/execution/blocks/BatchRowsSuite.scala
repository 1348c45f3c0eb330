package org.slidewise.spark.execution.blocks

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

import org.slidewise.Unhurried

/** The rows of batches, one by one and in blocks. */
class BatchRowsSuite extends Unhurried {
  private val types = Array[DataType](
    LongType,
    StringType,
    IntegerType,
    ShortType,
    ByteType,
    BooleanType,
    DoubleType,
    FloatType,
    DecimalType(10, 2),
    DecimalType(30, 5),
    BinaryType
  )

  private def batch(random: Random, rows: Int, longest: Int): ColumnarBatch = {
    val vectors = types.map(new OnHeapColumnVector(rows, _))
    val nullable = types.map(_ => random.nextBoolean())
    for (row <- 0 until rows; (vector, column) <- vectors.zipWithIndex)
      if (nullable(column) && random.nextInt(4) == 0) vector.putNull(row)
      else
        types(column) match {
          case LongType                                        => vector.putLong(row, random.nextLong())
          case decimal: DecimalType if decimal.precision == 10 => vector.putLong(row, random.nextInt().toLong)
          case IntegerType                                     => vector.putInt(row, random.nextInt())
          case ShortType      => vector.putShort(row, random.nextInt().toShort)
          case ByteType       => vector.putByte(row, random.nextInt().toByte)
          case BooleanType    => vector.putBoolean(row, random.nextBoolean())
          case DoubleType     => vector.putDouble(row, random.nextGaussian())
          case FloatType      => vector.putFloat(row, random.nextFloat())
          case _: DecimalType =>
            vector.putByteArray(row, BigInt(90, random).bigInteger.toByteArray)
          case _ => vector.putByteArray(row, Array.fill(random.nextInt(longest))(random.nextInt(128).toByte))
        }
    new ColumnarBatch(vectors.map(vector => vector: ColumnVector), rows)
  }

  private def expected(batches: Seq[ColumnarBatch]): Seq[UnsafeRow] = {
    val whole = UnsafeProjection.create(types)
    for (batch <- batches; row <- 0 until batch.numRows) yield whole(batch.getRow(row)).copy()
  }

  /** Takes rows one by one, in blocks, and in blocks that are given back. */
  private def taken(rows: BatchRows, random: Random): (Seq[UnsafeRow], Int) = {
    val found = Vector.newBuilder[UnsafeRow]
    var blocks = 0
    while (rows.hasNext)
      if (rows.isBlockNext && random.nextBoolean()) {
        val block = rows.nextBlock()
        blocks += 1
        if (random.nextInt(3) == 0) rows.giveBack()
        else (0 until block.count).foreach(row => found += rows.rowAt(row).copy())
      } else found += rows.next().asInstanceOf[UnsafeRow].copy()
    (found.result(), blocks)
  }

  private def check(seed: Int, longest: Int, sizes: Seq[Int]): Unit = {
    val random = new Random(seed)
    val batches = sizes.map(batch(random, _, longest))
    val (found, _) = taken(new BatchRows(batches.iterator, new BlockLayout(types)), random)
    assertEquals(found, expected(batches), s"seed $seed")
  }

  test("rows are byte for byte those of batches, also of empty ones and of many rows") {
    for (seed <- 0 until 60) {
      val random = new Random(seed)
      check(seed, 1 + random.nextInt(40), Seq.fill(random.nextInt(4))(random.nextInt(300)) ++ Seq(0, 1, 0))
    }
    check(100, longest = 10, Seq(5000, 4096, 4097))
  }

  test("rows of long values come in blocks of some megabytes") {
    check(7, longest = 1 << 20, Seq(30))
    val batches = Seq(batch(new Random(1), 60, longest = 1 << 20))
    val rows = new BatchRows(batches.iterator, new BlockLayout(types))
    var counts = Vector.empty[Int]
    while (rows.hasNext) counts :+= rows.nextBlock().count
    assertEquals(counts.sum, 60)
    assert(counts.forall(_ <= 30), counts)
  }

  test("no batches have no rows") {
    assert(!new BatchRows(Iterator.empty, new BlockLayout(types)).hasNext)
  }
}
