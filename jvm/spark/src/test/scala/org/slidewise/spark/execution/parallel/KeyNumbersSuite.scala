package org.slidewise.spark.execution.parallel

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.vectorized.ColumnarBatch

import munit.Assertions

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.blocks.RandomTables
import org.slidewise.spark.plan.WindowKeys

class KeyNumbersSuite extends SparkSuite {
  private lazy val path = RandomTables.parquet(spark, 900)

  private lazy val withoutDictionaries = {
    val other = s"$path-without"
    spark.read.parquet(path).write.option("parquet.enable.dictionary", "false").parquet(other)
    other
  }

  for (offHeap <- Seq(true, false))
    test(s"columns of all types, alone and together, with dictionaries and without: off the heap $offHeap") {
      withSettings(
        "spark.sql.columnVector.offheap.enabled" -> offHeap,
        "spark.sql.parquet.columnarReaderBatchSize" -> 100
      ) {
        check(path, dictionaries = true)
        check(withoutDictionaries, dictionaries = false)
      }
    }

  private def check(files: String, dictionaries: Boolean): Unit = {
    val scan = spark.read
      .parquet(files)
      .queryExecution
      .executedPlan
      .collectFirst { case scan: FileSourceScanExec => scan }
      .get
    val input = scan.output
    val random = new Random(3)
    val columns =
      input.filter(column => RandomTables.isKey(column.dataType) && WindowKeys.haveBytes(Seq(column)))
    assert(columns.size > 20)
    val several = Seq.fill(20)(Seq.fill(2 + random.nextInt(2))(columns(random.nextInt(columns.size))))
    val keys = columns.map(Seq(_)) ++ several
    val text = input.indexWhere(_.dataType == StringType)
    val found = scan
      .executeColumnar()
      .mapPartitions { batches =>
        val numbered = keys.map(new NumberedKeys(_, input))
        val have = batches.map { batch =>
          numbered.foreach(_.check(batch))
          batch.column(text).asInstanceOf[WritableColumnVector].hasDictionary
        }.toList
        Iterator((numbered.map(_.size).max, have.distinct))
      }
      .collect()
    assert(found.map(_._1).max > 100)
    assertEquals(found.flatMap(_._2).distinct.toSeq, Seq(dictionaries))
  }
}

/** Compares the numbers of keys with those of a map. */
final private class NumberedKeys(keys: Seq[Attribute], input: Seq[Attribute]) extends Assertions {
  private val numbers = KeyNumbers.of(keys, input)
  private val keyOf = UnsafeProjection.create(WindowKeys.asBytes(keys), input)
  private val known = mutable.Map.empty[Any, Int]

  def size: Int = numbers.size

  def check(batch: ColumnarBatch): Unit = {
    val rows = 0 until batch.numRows
    val expected = rows.map(row => known.getOrElseUpdate(keyOf(batch.getRow(row)).copy(), known.size))
    def of(numbers: KeyNumbers) = numbers.of(batch).take(batch.numRows).toSeq
    val clue = keys.map(_.dataType.sql).mkString(", ")
    assertEquals(of(numbers), expected, clue)
    assertEquals(of(numbers), expected, s"$clue, when the batch is read again")
    val other = KeyNumbers.of(keys, input)
    numbers.keys.foreach(other.ofBytes)
    assertEquals(of(other), expected, s"$clue, in a task that got the keys")
    assertEquals(rows.map(row => other.of(batch.getRow(row))), expected, s"$clue, row by row")
    assertEquals(numbers.size, known.size, clue)
    assert(numbers.bytes > 0)
  }
}
