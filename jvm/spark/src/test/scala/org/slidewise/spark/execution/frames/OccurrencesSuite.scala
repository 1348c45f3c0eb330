package org.slidewise.spark.execution.frames

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.Tasks

/** Where the row before and after each row with the same key is, compared with a search. */
class OccurrencesSuite extends SparkSuite {

  // Many spills of Spark's sorter.
  override protected def settings: Map[String, String] =
    Map("spark.shuffle.spill.numElementsForceSpillThreshold" -> "100")

  /** A frame `[lo, hi)` has a key first where it was before `lo`, and last where it comes not before `hi`. */
  private def found(keys: Seq[Option[String]], first: Long): Seq[(Long, Long)] = inTask { () =>
    val project = UnsafeProjection.create(Array[DataType](StringType))
    val none: UnsafeRow = null
    val occurrences = Occurrences.of(
      first,
      f => keys.foreach(key => f(key.fold(none)(text => project(InternalRow(UTF8String.fromString(text)))))),
      Tasks.resources()
    )
    try {
      val reader = occurrences.reader()
      keys.indices.map(i => (reader.previous(first + i), reader.next(first + i))).toList
    } finally occurrences.close()
  }

  private def expected(keys: Seq[Option[String]], first: Long): Seq[(Long, Long)] =
    keys.indices.map { i =>
      if (keys(i).isEmpty) (Occurrences.Nowhere, -1L)
      else {
        val before = keys.lastIndexOf(keys(i), i - 1)
        val after = keys.indexOf(keys(i), i + 1)
        (
          if (i == 0 || before < 0) -1L else first + before,
          if (after < 0) Occurrences.Nowhere else first + after
        )
      }
    }

  for ((values, seed) <- Seq(1, 2, 30, 5000).zipWithIndex; first <- Seq(0L, 1000000007L))
    test(s"rows of up to $values keys from $first on") {
      val random = new Random(seed)
      val keys = Seq.fill(3000)(if (random.nextInt(9) == 0) None else Some(s"key ${random.nextInt(values)}"))
      assertEquals(found(keys, first), expected(keys, first))
    }

  test("no rows, one row, and rows without a key") {
    for (
      keys <- Seq(
        Nil,
        Seq(Some("a")),
        Seq(None),
        Seq(None, None, Some("a"), None),
        Seq(Some(""), None, Some(""))
      )
    )
      assertEquals(found(keys, 7L), expected(keys, 7L))
  }

  test("keys of equal length whose first bytes are equal") {
    val keys = (0 until 2000).map(i => Option("x" * 100 + ('a' + i % 7).toChar))
    assertEquals(found(keys, 0L), expected(keys, 0L))
  }
}
