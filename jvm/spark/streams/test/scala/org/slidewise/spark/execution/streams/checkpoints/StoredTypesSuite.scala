package org.slidewise.spark.execution.streams.checkpoints

import munit.FunSuite
import org.apache.spark.sql.types._

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.plan.CanonicalForm

class StoredTypesSuite extends FunSuite {
  private val plain: Seq[DataType] = Seq(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    StringType,
    BinaryType,
    DateType,
    TimestampType,
    TimestampNTZType,
    DecimalType(30, 4),
    DayTimeIntervalType(),
    YearMonthIntervalType(),
    CalendarIntervalType,
    NullType
  )

  private val nested: Seq[DataType] = Seq(
    ArrayType(LongType, containsNull = false),
    ArrayType(DecimalType(38, 18)),
    MapType(StringType, ArrayType(DateType), valueContainsNull = false),
    new StructType()
      .add("a'b\\c", IntegerType, nullable = false)
      .add("d, e>", ArrayType(new StructType().add("f", StringType)))
      .add("g", MapType(IntegerType, BinaryType)),
    new StructType()
  )

  for (dataType <- plain ++ nested)
    test(s"${dataType.catalogString} is read as it is written") {
      val text = CanonicalForm.storedType(dataType)
      // The names of fields stay quoted.
      assertEquals(CanonicalForm.storedType(StoredTypes.of(text)).replace("\\", ""), text.replace("\\", ""))
      assertEquals(StoredTypes.of(text).defaultSize, dataType.defaultSize)
    }

  test("of a user's type, its own type is read") {
    assertEquals(StoredTypes.of("my.Point<struct<'x':double!,'y':double>>").asInstanceOf[StructType].size, 2)
  }

  for (
    damaged <- Seq(
      "",
      "no such type",
      "array<",
      "array<int",
      "struct<'a:int>",
      "struct<a:int>",
      "map<int>",
      "int>"
    )
  )
    test(s"'$damaged' is refused in words") {
      assert(intercept[CorruptState](StoredTypes.of(damaged)).what.contains("is no type"))
    }
}
