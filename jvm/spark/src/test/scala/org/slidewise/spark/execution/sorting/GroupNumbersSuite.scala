package org.slidewise.spark.execution.sorting

import scala.collection.mutable
import scala.util.Random

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

class GroupNumbersSuite extends FunSuite {
  private val project = UnsafeProjection.create(
    Seq(BoundReference(0, LongType, nullable = true), BoundReference(1, StringType, nullable = true))
  )

  private def key(value: (Option[Long], Option[String])): UnsafeRow =
    project(InternalRow(value._1.orNull, value._2.map(UTF8String.fromString).orNull))

  private def random(random: Random, distinct: Int, longest: Int): (Option[Long], Option[String]) = {
    val number = random.nextInt(distinct)
    (
      if (number % 9 == 0) None else Some(number.toLong),
      if (number % 7 == 0) None else Some("x" * (number % longest) + number % 3)
    )
  }

  for ((distinct, longest) <- Seq((1, 1), (50, 40), (20000, 40), (3000, 3000)))
    test(
      s"keys of $distinct values of up to $longest characters have the numbers of their first rows, and their ranks"
    ) {
      val some = new Random(distinct)
      val numbers = new GroupNumbers
      val known = mutable.LinkedHashMap.empty[(Option[Long], Option[String]), Int]
      for (_ <- 0 until 40000) {
        val value = random(some, distinct, longest)
        assertEquals(numbers.of(key(value)), known.getOrElseUpdate(value, known.size))
      }
      assertEquals(numbers.size, known.size)
      val ordering = InterpretedOrdering.forSchema(Seq(LongType, StringType))
      val inOrder = known.keys.toSeq.sorted
      assertEquals(
        numbers.ranks(ordering).toSeq,
        known.keys.toSeq.map(inOrder.zipWithIndex.toMap)
      )
    }

  test("keys of equal hashes, and keys that begin alike, are told apart") {
    val numbers = new GroupNumbers
    val keys = Seq("", "a", "aa", "a" * 8, "a" * 9).map(text => Some(1L) -> Some(text)) :+ (None -> None)
    val found = keys.map(k => numbers.of(key(k)))
    assertEquals(found, keys.indices: Seq[Int])
    assertEquals(keys.map(k => numbers.of(key(k))), found)
  }

  test("the memory is at least that of the keys, and grows with their number") {
    val numbers = new GroupNumbers
    var keysBytes = 0L
    for (i <- 0 until 10000) {
      val next = key(Some(i.toLong) -> Some("y" * (i % 50)))
      keysBytes += next.getSizeInBytes
      numbers.of(next)
      assert(numbers.bytes >= keysBytes, i)
    }
    assert(numbers.bytes < keysBytes + 100L * 10000 + (2L << 20), numbers.bytes)
  }
}
