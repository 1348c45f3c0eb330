package org.slidewise.spark.execution.blocks

import java.nio.file.Files

import scala.util.Random

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types._

/** Tables with a column of each type that files have, once with and once without nulls. */
object RandomTables {

  val schema: StructType = StructType(
    RandomRows.Types
      .filterNot(dataType => dataType == NullType || dataType == CalendarIntervalType)
      .zipWithIndex
      .flatMap { case (dataType, i) => Seq(StructField(s"a$i", dataType), StructField(s"b$i", dataType)) }
  )

  /** Whether rows can be partitioned by the values. */
  def isKey(dataType: DataType): Boolean = dataType match {
    case _: MapType => false
    case _          => true
  }

  /** Writes a table to some Parquet files, and returns their folder. */
  def parquet(spark: SparkSession, rows: Int): String = {
    val path = Files.createTempDirectory("slidewise").resolve("table").toString
    val random = new Random(1)
    val found = Seq.fill(rows)(Row.fromSeq(schema.map(field => value(field, random))))
    spark.createDataFrame(java.util.Arrays.asList(found: _*), schema).repartition(3).write.parquet(path)
    path
  }

  private def value(field: StructField, random: Random): Any =
    if (field.name.startsWith("a") && random.nextInt(4) == 0) null else of(field.dataType, random)

  private def of(dataType: DataType, random: Random): Any = {
    // Few values, so that files have dictionaries and windows have partitions.
    val drawn = random.nextInt(40) - 20
    dataType match {
      case BooleanType              => drawn % 2 == 0
      case ByteType                 => drawn.toByte
      case ShortType                => drawn.toShort
      case IntegerType              => drawn
      case LongType                 => drawn.toLong << 33
      case FloatType                => if (drawn == 0) -0.0f else if (drawn == 1) Float.NaN else drawn / 3f
      case DoubleType               => if (drawn == 0) -0.0 else if (drawn == 1) Double.NaN else drawn / 3.0
      case decimal: DecimalType     => new java.math.BigDecimal(drawn).setScale(decimal.scale)
      case StringType               => "ä" * (drawn + 20) + drawn
      case BinaryType               => Array.fill(drawn + 20)(drawn.toByte)
      case DateType                 => java.sql.Date.valueOf("2026-03-01").toLocalDate.plusDays(drawn.toLong)
      case TimestampType            => java.time.Instant.ofEpochSecond(drawn * 1000L, 5000L)
      case TimestampNTZType         => java.time.LocalDateTime.of(2026, 1, 1, 0, 0).plusMinutes(drawn.toLong)
      case _: DayTimeIntervalType   => java.time.Duration.ofSeconds(drawn.toLong)
      case _: YearMonthIntervalType => java.time.Period.ofMonths(drawn)
      case ArrayType(element, _)    => Seq.fill(random.nextInt(4))(of(element, random))
      case MapType(key, element, _) => Map(of(key, random) -> of(element, random))
      case struct: StructType       => Row.fromSeq(struct.map(field => of(field.dataType, random)))
      case other                    => throw new IllegalArgumentException(s"no values of ${other.sql}")
    }
  }
}
