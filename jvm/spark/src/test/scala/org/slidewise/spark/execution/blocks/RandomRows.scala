package org.slidewise.spark.execution.blocks

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

/** Rows of any types, with nulls, the ends of the types, values near to one another and repeated ones. */
object RandomRows {

  val Types: Seq[DataType] = Seq(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DecimalType(9, 2),
    DecimalType(18, 4),
    DecimalType(38, 10),
    StringType,
    BinaryType,
    DateType,
    TimestampType,
    TimestampNTZType,
    DayTimeIntervalType(),
    YearMonthIntervalType(),
    CalendarIntervalType,
    NullType,
    ArrayType(IntegerType),
    ArrayType(StringType),
    MapType(StringType, LongType),
    new StructType().add("a", LongType).add("b", StringType).add("c", DecimalType(30, 2))
  )

  def types(random: Random, most: Int): Array[DataType] =
    Array.fill(random.nextInt(most + 1))(Types(random.nextInt(Types.size)))

  def rows(types: Array[DataType], random: Random, count: Int): Seq[UnsafeRow] = {
    val columns = types.map(column(_, random))
    val project = UnsafeProjection.create(types)
    Seq.fill(count)(project(InternalRow.fromSeq(columns.toSeq.map(_()))).copy())
  }

  /** The values of a column: without nulls or with some or only nulls; near to one another or not. */
  private def column(dataType: DataType, random: Random): () => Any = {
    val nulls = Seq(0, 0, 10, 100)(random.nextInt(4))
    val range = Seq(1L, 3L, 200L, 1L << 40, 0L)(random.nextInt(5))
    val from = if (random.nextBoolean()) random.nextLong() else -1L
    val rises = random.nextInt(3) == 0
    var last = from
    val integer = () => {
      val drawn = if (range == 0L) random.nextLong() else Math.floorMod(random.nextLong(), range)
      last = if (rises) last + drawn else from + drawn
      last
    }
    () => if (random.nextInt(100) < nulls) null else value(dataType, integer, random)
  }

  private def value(dataType: DataType, integer: () => Long, random: Random): Any = dataType match {
    case NullType                                                             => null
    case BooleanType                                                          => integer() % 2 == 0
    case ByteType                                                             => integer().toByte
    case ShortType                                                            => integer().toShort
    case IntegerType | DateType | _: YearMonthIntervalType                    => integer().toInt
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType => integer()
    case FloatType            => double(integer(), random).toFloat
    case DoubleType           => double(integer(), random)
    case decimal: DecimalType =>
      Decimal(BigDecimal(BigInt(integer() % 1000000), 2), decimal.precision, decimal.scale)
    case StringType           => UTF8String.fromString("ä" * (integer() & 15).toInt + integer() % 9)
    case BinaryType           => Array.fill((integer() & 31).toInt)(random.nextInt().toByte)
    case CalendarIntervalType => new CalendarInterval(integer().toInt, integer().toInt, integer())
    case ArrayType(of, _) => new GenericArrayData(Array.fill(random.nextInt(4))(value(of, integer, random)))
    case MapType(key, of, _) =>
      val size = random.nextInt(3)
      ArrayBasedMapData(
        Array.tabulate[Any](size)(i => UTF8String.fromString(s"$key$i")),
        Array.fill[Any](size)(value(of, integer, random))
      )
    case struct: StructType =>
      InternalRow.fromSeq(struct.map(field => value(field.dataType, integer, random)))
    case other => throw new IllegalArgumentException(s"no values of ${other.sql}")
  }

  private def double(integer: Long, random: Random): Double = random.nextInt(12) match {
    case 0 => Double.NaN
    case 1 => -0.0
    case 2 => Double.NegativeInfinity
    case _ => integer * 0.25
  }
}
