package org.slidewise.spark.expressions

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

import org.slidewise.fuzz.{Mutations, MutationSuite}
import org.slidewise.spark.errors.CorruptState

class RowStructureSuite extends MutationSuite {
  private val inner = new StructType().add("a", IntegerType).add("b", StringType)
  private val types: Seq[DataType] = Seq(
    LongType,
    StringType,
    BinaryType,
    DecimalType(38, 4),
    DecimalType(10, 2),
    CalendarIntervalType,
    ArrayType(ByteType),
    ArrayType(StringType),
    ArrayType(ArrayType(DateType)),
    MapType(StringType, LongType),
    MapType(IntegerType, ArrayType(inner)),
    inner,
    new StructType().add("x", inner).add("y", BooleanType)
  )
  private val structure = new RowStructure(types)
  private val project = UnsafeProjection.create(types.toArray)

  private def row(random: Random): UnsafeRow = {
    def text = UTF8String.fromString("text" * random.nextInt(4))
    def array(values: Any*) = new GenericArrayData(values.toArray)
    val struct = InternalRow(random.nextInt(), text)
    val values: Seq[Any] = Seq(
      random.nextLong(),
      text,
      new Array[Byte](random.nextInt(20)),
      Decimal(BigDecimal(BigInt(100, random.self), 4), 38, 4),
      Decimal(BigDecimal(random.nextInt(1000), 2), 10, 2),
      new CalendarInterval(1, 2, 3),
      array(Seq.fill(random.nextInt(70))(1.toByte): _*),
      array(text, null, text),
      array(array(1, 2), null, array()),
      new ArrayBasedMapData(array(text, text), array(1L, null)),
      new ArrayBasedMapData(array(1, 2), array(array(struct, null), array())),
      struct,
      InternalRow(struct, true)
    )
    project(InternalRow(values.map(v => if (random.nextInt(4) == 0) null else v): _*)).copy()
  }

  test("rows as Spark writes them have the structure of their types") {
    val random = new Random(1)
    for (_ <- 0 until 500) {
      val made = row(random)
      assert(structure.check(made) eq made)
    }
  }

  /** The greatest offset that a value of the row is read up to. */
  private def readAll(row: UnsafeRow): Unit = types.indices.foreach { i =>
    val value = row.get(i, types(i))
    if (value != null) InternalRow.copyValue(value) match {
      case other => Literal(other, types(i)).toString
    }
  }

  test("a null is refused where an object that is never null would be read") {
    val schema = new StructType()
      .add("number", LongType, nullable = false)
      .add("wide", DecimalType(38, 4), nullable = false)
      .add("text", StringType)
    val wide = Decimal(BigDecimal(7), 38, 4)
    def rowOf(values: Any*) = UnsafeProjection.create(schema.map(_.dataType).toArray)(InternalRow(values: _*))
    for (values <- Seq(Seq[Any](1L, wide, null), Seq[Any](null, wide, null)))
      assertEquals(RowStructure.of(schema).check(rowOf(values: _*)).numFields, 3)
    intercept[CorruptState](RowStructure.of(schema).check(rowOf(1L, null, null)))
    assertEquals(new RowStructure(schema.map(_.dataType)).check(rowOf(1L, null, null)).numFields, 3)
  }

  test("a null is refused within arrays, maps and structs of which no part is null") {
    val perName = MapType(StringType, LongType, valueContainsNull = false)
    val types = Seq[DataType](
      ArrayType(LongType, containsNull = false),
      ArrayType(new StructType().add("text", StringType, nullable = false), containsNull = false),
      perName
    )
    val schema = StructType(types.zipWithIndex.map { case (t, i) =>
      StructField(s"c$i", t, nullable = false)
    })
    val anyNulls = UnsafeProjection.create(
      Array[DataType](
        ArrayType(LongType),
        ArrayType(new StructType().add("text", StringType)),
        MapType(StringType, LongType)
      )
    )
    def array(values: Any*) = new GenericArrayData(values.toArray)
    def check(numbers: Seq[Any], texts: Seq[Any], names: Seq[Any], counts: Seq[Any]) = {
      val byName = new ArrayBasedMapData(array(names: _*), array(counts: _*))
      RowStructure.of(schema).check(anyNulls(InternalRow(array(numbers: _*), array(texts: _*), byName)))
    }
    val text = UTF8String.fromString("a")
    val many = Seq.fill[Any](70)(1L)
    assertEquals(check(many, Seq(InternalRow(text)), Seq(text), Seq(1L)).numFields, 3)
    intercept[CorruptState](check(many :+ null, Seq(InternalRow(text)), Seq(text), Seq(1L)))
    intercept[CorruptState](check(many, Seq(null), Seq(text), Seq(1L)))
    intercept[CorruptState](check(many, Seq(InternalRow(null)), Seq(text), Seq(1L)))
    intercept[CorruptState](check(many, Seq(InternalRow(text)), Seq(text), Seq(null)))

    // Spark does not write a null key: the bit of the first key, after the map's and the keys' sizes.
    val damaged = check(many, Seq(InternalRow(text)), Seq(text), Seq(1L))
    val map = damaged.getMap(2)
    Platform.putLong(map.getBaseObject, map.getBaseOffset + 16, 1L)
    intercept[CorruptState](RowStructure.of(schema).check(damaged))
  }

  test("rows of damaged bytes are refused, or all their values can be read within them") {
    val random = new Random(2)
    val valid = IndexedSeq.fill(50)(row(random).getBytes)
    val mutations = new Mutations(3, valid)
    var (refused, read) = (0, 0)
    for (i <- 0 until Mutations.count) {
      val bytes = mutations.next(valid(i % valid.size))
      // The bytes after the row are of another object of the heap; here they are of this array.
      val padded = java.util.Arrays.copyOf(bytes, bytes.length + 64)
      val damaged = new UnsafeRow(types.size)
      damaged.pointTo(padded, Platform.BYTE_ARRAY_OFFSET, bytes.length & ~7)
      try {
        structure.check(damaged)
        readAll(damaged)
        read += 1
      } catch {
        case _: CorruptState        => refused += 1
        case _: ArithmeticException => read += 1 // a decimal with more digits than its type
      }
    }
    println(s"fuzz: rows: $read read, $refused refused")
    assert(read > 0 && refused > 0)
  }
}
