import java.util.function.Consumer

import org.apache.spark.sql.{Encoder, Encoders, Row, SparkSession}
import org.apache.spark.sql.expressions.{Aggregator, MutableAggregationBuffer, UserDefinedAggregateFunction}
import org.apache.spark.sql.functions.udaf
import org.apache.spark.sql.types._

final case class Rise(length: Int, whole: Boolean, first: Long, last: Long)

/** The longest rise that ends a frame: order matters; the state is a row of columns. */
object LongestRise extends Aggregator[Long, Rise, Int] {
  def zero: Rise = Rise(0, whole = true, 0L, 0L)

  def reduce(r: Rise, x: Long): Rise = merge(r, Rise(1, whole = true, x, x))

  def merge(a: Rise, b: Rise): Rise =
    if (a.length == 0) b
    else if (b.length == 0) a
    else if (b.whole && b.first >= a.last) Rise(a.length + b.length, a.whole, a.first, b.last)
    else Rise(b.length, whole = false, a.first, b.last)

  def finish(r: Rise): Int         = r.length
  def bufferEncoder: Encoder[Rise] = Encoders.product
  def outputEncoder: Encoder[Int]  = Encoders.scalaInt
}

/** The commonest word, of several the least: the state is an object that Kryo writes. */
object Commonest extends Aggregator[String, Map[String, Long], String] {
  def zero: Map[String, Long] = Map.empty

  def reduce(counts: Map[String, Long], word: String): Map[String, Long] =
    if (word == null) counts else counts.updated(word, counts.getOrElse(word, 0L) + 1)

  def merge(a: Map[String, Long], b: Map[String, Long]): Map[String, Long] =
    b.foldLeft(a) { case (counts, (word, count)) => counts.updated(word, counts.getOrElse(word, 0L) + count) }

  def finish(counts: Map[String, Long]): String =
    if (counts.isEmpty) null else counts.minBy { case (word, count) => (-count, word) }._1

  def bufferEncoder: Encoder[Map[String, Long]] = Encoders.kryo
  def outputEncoder: Encoder[String]            = Encoders.STRING
}

/** The last three words with their numbers: of the older kind, with a state of columns that grows. */
class LastWords extends UserDefinedAggregateFunction {
  private val words = ArrayType(StringType)

  def inputSchema: StructType  = new StructType().add("word", StringType).add("number", LongType)
  def bufferSchema: StructType = new StructType().add("words", words).add("rows", LongType)
  def dataType: DataType       = words
  def deterministic: Boolean   = true

  def initialize(buffer: MutableAggregationBuffer): Unit = {
    buffer(0) = Seq.empty[String]
    buffer(1) = 0L
  }

  def update(buffer: MutableAggregationBuffer, row: Row): Unit = {
    buffer(0) = (buffer.getSeq[String](0) :+ s"${row.getString(0)} ${row.getLong(1)}").takeRight(3)
    buffer(1) = buffer.getLong(1) + 1
  }

  def merge(buffer: MutableAggregationBuffer, newer: Row): Unit = {
    buffer(0) = (buffer.getSeq[String](0) ++ newer.getSeq[String](0)).takeRight(3)
    buffer(1) = buffer.getLong(1) + newer.getLong(1)
  }

  def evaluate(buffer: Row): Seq[String] = buffer.getSeq[String](0) :+ buffer.getLong(1).toString
}

/** Makes them known to a session. */
class UserAggregators extends Consumer[SparkSession] {
  def accept(spark: SparkSession): Unit = {
    spark.udf.register("longest_rise", udaf(LongestRise))
    spark.udf.register("commonest", udaf(Commonest, Encoders.STRING))
    spark.udf.register("last_words", new LastWords)
  }
}
