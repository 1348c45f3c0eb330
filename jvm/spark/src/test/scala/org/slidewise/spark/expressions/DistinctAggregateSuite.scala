package org.slidewise.spark.expressions

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class DistinctAggregateSuite extends FunSuite {
  private val input = Seq(
    AttributeReference("n", IntegerType)(),
    AttributeReference("d", DoubleType)(),
    AttributeReference("s", StringType)()
  )

  private def bound(function: AggregateFunction): DistinctAggregate =
    BindReferences.bindReference(DistinctAggregate(function), input)

  private def row(n: Any, d: Any, s: String): InternalRow =
    InternalRow(n, d, if (s == null) null else UTF8String.fromString(s))

  private def bufferOf(of: DistinctAggregate, rows: Seq[InternalRow]): DistinctRows =
    rows.foldLeft(of.createAggregationBuffer())(of.update)

  private val random = new scala.util.Random(7)
  private val rows = Seq.fill(200)(
    row(
      if (random.nextInt(5) == 0) null else random.nextInt(4),
      Seq[Any](0.0, -0.0, Double.NaN, java.lang.Double.longBitsToDouble(0x7ff8000000000001L), null)(
        random.nextInt(5)
      ),
      Seq("", "a", "abcdefghij", null)(random.nextInt(4))
    )
  )

  /** Equal for equal rows. */
  private def valuesOf(row: InternalRow): Seq[Any] = Seq(
    if (row.isNullAt(0)) None else row.getInt(0),
    if (row.isNullAt(1)) None else if (row.getDouble(1).isNaN) "NaN" else row.getDouble(1) + 0.0,
    if (row.isNullAt(2)) None else row.getString(2)
  )

  /** Evaluated over its tuples: a constant is in none of them. */
  private val count = bound(Count(input :+ Literal(1)))

  /** Whose result is the number of tuples. */
  private val size = bound(Count(input))

  test("the buffer holds each distinct tuple once, in the order in which they came first") {
    assertEquals(bufferOf(count, rows).toSeq.map(valuesOf), rows.map(valuesOf).distinct)
  }

  test("where the result is the number of tuples, the buffer holds those without nulls") {
    assertEquals(
      bufferOf(size, rows).toSeq.map(valuesOf),
      rows.map(valuesOf).distinct.filterNot(_.contains(None))
    )
  }

  test("the function decides what a tuple with nulls contributes") {
    for (function <- Seq(count, size)) {
      assertEquals(
        function.eval(bufferOf(function, rows)),
        rows.map(valuesOf).distinct.count(!_.contains(None)).toLong: Any
      )
      assertEquals(function.eval(function.createAggregationBuffer()), 0L: Any)
    }
  }

  test("a constant null counts nothing") {
    val none = bound(Count(input :+ Literal(null, IntegerType)))
    assertEquals(none.eval(bufferOf(none, rows)), 0L: Any)
  }

  test("merging two buffers gives the buffer of both, and leaves the second as it was") {
    for (at <- Seq(0, 1, 3, 40, 200)) {
      val (older, newer) = rows.splitAt(at)
      val second = bufferOf(count, newer)
      val held = second.toSeq
      val merged = count.merge(bufferOf(count, older), second)
      assertEquals(merged.toSeq, bufferOf(count, rows).toSeq)
      assertEquals(second.toSeq, held)
    }
  }

  test("a buffer survives serialization, and still knows its rows") {
    for (some <- Seq(rows, Nil)) {
      val buffer = bufferOf(count, some)
      val read = count.deserialize(count.serialize(buffer))
      assertEquals(read.toSeq, buffer.toSeq)
      assertEquals(some.foldLeft(read)(count.update).toSeq, buffer.toSeq)
    }
  }

  test("a row that its source changes later stays in the buffer as it was") {
    val mutable = new GenericInternalRow(Array[Any](1, 1.0, UTF8String.fromString("x")))
    val buffer = count.update(count.createAggregationBuffer(), mutable)
    mutable.update(0, 2)
    assertEquals(count.update(buffer, mutable).toSeq.map(_.getInt(0)), Seq(1, 2))
  }

  test("an argument that occurs twice is held once, and a constant not at all") {
    assertEquals(bound(Count(Seq(input.head, input.head, Literal(1)))).arguments.size, 1)
    val constant = bound(Count(Literal(1)))
    assertEquals(constant.eval(bufferOf(constant, rows)), 1L: Any)
  }

  test("an imperative function runs over the distinct tuples") {
    val list = bound(CollectList(input.head))
    val expected = rows.map(valuesOf(_).head).distinct.filterNot(_ == None)
    val found = list.eval(bufferOf(list, rows)).asInstanceOf[org.apache.spark.sql.catalyst.util.ArrayData]
    assertEquals(found.toIntArray().toSeq, expected)
  }

  test("it is written as the call with DISTINCT") {
    val call = DistinctAggregate(Count(input)).toAggregateExpression()
    assertEquals(call.sql, "count(DISTINCT n, d, s)")
    assert(call.toString.startsWith("count(distinct n#"), call.toString)
  }
}
