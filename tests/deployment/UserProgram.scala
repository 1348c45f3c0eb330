import org.apache.spark.sql.{Encoder, Encoders, SparkSession}
import org.apache.spark.sql.expressions.{Aggregator, Window}
import org.apache.spark.sql.functions._

/** The longest rise that ends a frame: an aggregator of a user's own, in which order matters. */
final case class Rise(length: Int, whole: Boolean, first: Long, last: Long)

object LongestRise extends Aggregator[Long, Rise, Int] {
  def zero: Rise = Rise(0, whole = true, 0L, 0L)

  def reduce(r: Rise, x: Long): Rise = merge(r, Rise(1, whole = true, x, x))

  def merge(a: Rise, b: Rise): Rise =
    if (a.length == 0 && a.whole) b
    else if (b.length == 0 && b.whole) a
    else if (b.whole && b.first >= a.last) Rise(a.length + b.length, a.whole, a.first, b.last)
    else Rise(b.length, whole = false, a.first, b.last)

  def finish(r: Rise): Int           = r.length
  def bufferEncoder: Encoder[Rise]   = Encoders.product
  def outputEncoder: Encoder[Int]    = Encoders.scalaInt
}

/** A user's program: registers an aggregator, asks by SQL and by columns, prints the answers and the plans. */
object UserProgram {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    spark.udf.register("longest_rise", udaf(LongestRise))
    val data = spark.range(0, 500, 1, 3).withColumn("x", col("id") * 37 % 11)
    data.createOrReplaceTempView("data")

    def ask(slidewise: Boolean): (Seq[String], Boolean) = {
      spark.conf.set("spark.slidewise.enabled", slidewise)
      val moving = Window.orderBy("id").rowsBetween(-20, 5)
      val answer = data.select(col("id"), sum("x").over(moving), max_by(col("id"), col("x")).over(moving))
        .join(spark.sql("SELECT id, longest_rise(x) OVER (ORDER BY id ROWS 30 PRECEDING) AS r FROM data"), "id")
        .orderBy("id")
      val rows = answer.collect().toSeq.map(_.toString)
      (rows, answer.queryExecution.executedPlan.toString.contains("SlidingWindow ["))
    }

    val (on, taken)  = ask(slidewise = true)
    val (off, spark0) = ask(slidewise = false)
    println(s"rows ${on.size}, same ${on == off}, SlidingWindow $taken $spark0")
    spark.stop()
  }
}
