package org.slidewise.spark.execution.sorting

import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.BuiltFor
import org.slidewise.spark.execution.task.Tasks
import org.slidewise.spark.expressions.{DistinctRows, GroupingKeys}
import org.slidewise.spark.plan.DictionaryCode

/** The dictionaries in which a task numbers the values that no 64 bits hold. */
class DictionaryCodeSuite extends SparkSuite {
  import DictionaryCodeSuite._

  // Rows lie off-heap, so that a test can say how much memory is left for dictionaries.
  override protected def settings: Map[String, String] = Map(
    "spark.memory.offHeap.enabled" -> "true",
    "spark.memory.offHeap.size" -> (64L << 20).toString,
    "spark.testing.memory" -> (64L << 20).toString,
    "spark.testing.reservedMemory" -> "0"
  )

  private def keysOf(values: Attribute*): Seq[Expression] =
    values.map(value => DistinctRows.keyOf(GroupingKeys.normalized(value)))

  private val noOrder = Seq.empty[SortKey]

  /** The codes of rows; none where it is null. */
  private def codes(
      reader: ColumnReader,
      input: Seq[Attribute],
      rows: Seq[Seq[Any]],
      column: Int = 0
  ): Seq[Option[Long]] = {
    val columns = new LongColumns(column + 1)
    columns.resize(rows.size)
    val project = UnsafeProjection.create(input.map(_.dataType).toArray)
    rows.zipWithIndex.foreach { case (row, i) =>
      reader.read(project(InternalRow.fromSeq(row)), columns, i)
    }
    rows.indices.map(i => if (columns.isNull(column, i)) None else Some(columns(column)(i)))
  }

  private def codesOf(input: Seq[Attribute], rows: Seq[Seq[Any]]): Seq[Long] = {
    val reader =
      new ColumnReader(
        noOrder,
        Seq(InputColumn(DictionaryCode(keysOf(input: _*), Literal(true)))),
        input,
        _ => true,
        Seq(0)
      )
    val found = codes(reader, input, rows)
    assert(!reader.inputsFailed)
    found.map(_.getOrElse(fail("null")))
  }

  private def string(value: String): UTF8String = UTF8String.fromString(value)

  test("equal tuples have equal codes, and others have others, in the order in which they come") {
    val input = Seq(AttributeReference("s", StringType)(), AttributeReference("i", IntegerType)())
    val rows = Seq[Seq[Any]](
      Seq(string("a"), 1),
      Seq(string("a"), 2),
      Seq(string(""), 1),
      Seq(string("a"), 1),
      Seq(null, 1),
      Seq(string(""), 1),
      Seq(string(""), null),
      Seq(null, 1)
    )
    assertEquals(codesOf(input, rows), Seq(0L, 1L, 2L, 0L, 3L, 2L, 4L, 3L))
  }

  test("NaN equals NaN, and zeros equal each other, also in structs and arrays") {
    val otherNaN = java.lang.Double.longBitsToDouble(0x7ff8000000000001L)
    val values = Seq[Any](0.0, Double.NaN, -0.0, otherNaN, null, 1.0)
    val expected = Seq(0L, 1L, 0L, 1L, 2L, 3L)
    val number = AttributeReference("d", DoubleType)()
    assertEquals(codesOf(Seq(number), values.map(Seq(_))), expected)
    val struct = AttributeReference("x", new StructType().add("d", DoubleType).add("s", StringType))()
    assertEquals(codesOf(Seq(struct), values.map(v => Seq(InternalRow(v, string("s"))))), expected)
    val array = AttributeReference("a", ArrayType(DoubleType))()
    val arrays = values.map(v => Seq(new org.apache.spark.sql.catalyst.util.GenericArrayData(Array[Any](v))))
    assertEquals(codesOf(Seq(array), arrays), expected)
  }

  test("strings are compared by their collation") {
    assume(BuiltFor.MINOR != "3.5", "no collations")
    val text = AttributeReference(
      "s",
      DataType.fromDDL("s STRING COLLATE UTF8_LCASE").asInstanceOf[StructType].head.dataType
    )()
    val rows = Seq("a", "B", "A", "b", "c").map(s => Seq(string(s)))
    assertEquals(codesOf(Seq(text), rows), Seq(0L, 1L, 0L, 1L, 2L))
  }

  test("each dictionary has codes of its own") {
    val input = Seq(AttributeReference("s", StringType)(), AttributeReference("t", StringType)())
    val reader = new ColumnReader(
      noOrder,
      input.map(value => InputColumn(DictionaryCode(Seq(value), Literal(true)))),
      input,
      _ => true,
      input.indices
    )
    val columns = new LongColumns(2)
    columns.resize(3)
    val project = UnsafeProjection.create(input.map(_.dataType).toArray)
    Seq("x" -> "y", "y" -> "y", "x" -> "x").zipWithIndex.foreach { case ((s, t), i) =>
      reader.read(project(InternalRow(string(s), string(t))), columns, i)
    }
    assertEquals((columns(0).take(3).toSeq, columns(1).take(3).toSeq), (Seq(0L, 1L, 0L), Seq(0L, 0L, 1L)))
  }

  private val number = AttributeReference("n", IntegerType)()
  private val isCounted = GreaterThan(number, Literal(0))

  test("where a row is not counted its code is null, and its values are not evaluated") {
    val reader =
      new ColumnReader(
        noOrder,
        Seq(InputColumn(DictionaryCode(Seq(Positive(number)), isCounted))),
        Seq(number),
        _ => true,
        Seq(0)
      )
    val found = codes(reader, Seq(number), Seq[Any](5, -1, 6, null, 5).map(Seq(_)))
    assertEquals(found, Seq(Some(0L), None, Some(1L), None, Some(0L)))
    assert(!reader.inputsFailed)
  }

  test("a value that fails where it is counted is left to the rows, and keys are read on") {
    val order = new SortKey(SortOrder(number, Ascending))
    val reader = new ColumnReader(
      Seq(order),
      Seq(InputColumn(DictionaryCode(Seq(Positive(number)), LessThan(number, Literal(9))))),
      Seq(number),
      _ => true,
      Seq(0, 1)
    )
    val columns = new LongColumns(2)
    columns.resize(4)
    val project = UnsafeProjection.create(Array[DataType](IntegerType))
    Seq(5, 9, -1, 6).zipWithIndex.foreach { case (n, i) =>
      reader.read(project(InternalRow(n)), columns, i)
    }
    assert(reader.inputsFailed)
    assertEquals((0 until 4).map(columns(0)(_) ^ order.flip), Seq(5L, 9L, -1L, 6L))
  }

  test("memory is counted for each distinct tuple, and for none once the dictionaries are dropped") {
    val input = Seq(AttributeReference("s", StringType)())
    val reader =
      new ColumnReader(
        noOrder,
        Seq(InputColumn(DictionaryCode(input, Literal(true)))),
        input,
        _ => true,
        Seq(0)
      )
    assertEquals(reader.dictionaryBytes, 0L)
    codes(reader, input, Seq.fill(50)(Seq(string("x" * 1000))))
    val one = reader.dictionaryBytes
    assert(one > 1000 && one < 2000, one)
    codes(reader, input, (0 until 99).map(i => Seq(string(s"$i" + "x" * 1000))))
    assert(reader.dictionaryBytes >= 100 * one, reader.dictionaryBytes)
    reader.dropDictionaries()
    assertEquals(reader.dictionaryBytes, 0L)
  }

  for (hashes <- Seq(false, true))
    test(s"a sorter charges its dictionary until the rows are sorted (partition keys hashed: $hashes)") {
      val (codes, charged, kept, left) = inTask { () =>
        def measure(value: Expression) = withSorter(value, hashes) { sorter =>
          var used = 0L
          var found = Seq.empty[Long]
          val result = sorter.sort(
            rows(),
            sorted => {
              used = sorter.getUsed
              found = sorted.order.rows.take(Rows).map(sorted.columns(sorted.firstInput)(_)).toSeq
              None
            }
          )
          result.rows.next()
          val peak = sorter.peakHeapMemory
          sorter.close()
          (found, peak, used, sorter.getUsed)
        }
        val (_, plainPeak, plainUsed, _) = measure(id)
        val (found, peak, used, left) = measure(DictionaryCode(Seq(text), IsNotNull(text)))
        (found, peak - plainPeak, used - plainUsed, left)
      }
      assertEquals(codes.distinct.size, Distinct)
      // In the order of `id`, and in each row's place.
      val order = if (hashes) (0 until Rows).sortBy(i => s"p${i % 3}") else 0 until Rows
      val byRow = order.zip(codes).toMap
      assertEquals((0 until Rows).map(byRow), (0 until Rows).map(i => i.toLong % Distinct))
      assert(charged >= Distinct * 1000L, charged)
      assertEquals(kept, 0L)
      assertEquals(left, 0L)
    }

  test(
    "rows whose dictionary does not fit on the heap are sorted externally, though their arrays would fit"
  ) {
    val (plain, inDictionary, left) = inTask { () =>
      def sort(value: Expression) = {
        val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
        hog.takeAllBut(Distinct * 1000L / 2)
        try
          withSorter(value, hashes = false) { sorter =>
            var inMemory = false
            val sorted = sorter.sort(rows(), _ => { inMemory = true; None })
            (inMemory, sorted.rows.map(_.getInt(0)).toVector)
          }
        finally hog.close()
      }
      (
        sort(id),
        sort(DictionaryCode(Seq(text), Literal(true))),
        Tasks.resources().memory.getMemoryConsumptionForThisTask
      )
    }
    assertEquals(plain, (true, (0 until Rows).toVector))
    assertEquals(inDictionary, (false, (0 until Rows).toVector))
    assertEquals(left, 0L)
  }
}

object DictionaryCodeSuite {
  private val Rows = 3000
  private val Distinct = 1500

  private val id = AttributeReference("i", IntegerType, nullable = false)()
  private val text = AttributeReference("s", StringType)()
  private val attributes = Seq(id, text)

  private def rows(): Iterator[InternalRow] = {
    val project = UnsafeProjection.create(attributes.map(_.dataType).toArray)
    Iterator
      .range(0, Rows)
      .map(i => project(InternalRow(i, UTF8String.fromString(s"${i % Distinct}" + "x" * 1000))))
  }

  private def withSorter[T](value: Expression, hashes: Boolean)(body: PartitionSorter => T): T = {
    val partition =
      if (hashes) Seq(Concat(Seq(Literal("p"), Cast(Remainder(id, Literal(3)), StringType)))) else Nil
    val spec = new SortSpec(partition, Seq(SortOrder(id, Ascending)), radixInSpark = false, peers = 1)
    val sorter = new PartitionSorter(Tasks.resources(), attributes, spec, Nil, Seq(InputColumn(value)))
    try body(sorter)
    finally sorter.close()
  }

  /** Fails for numbers below zero. */
  final private case class Positive(child: Expression) extends UnaryExpression with CodegenFallback {
    override def dataType: DataType = child.dataType
    override protected def nullSafeEval(value: Any): Any =
      if (value.asInstanceOf[Int] < 0) throw new ArithmeticException("negative") else value
    override protected def withNewChildInternal(newChild: Expression): Expression = copy(newChild)
  }
}
