import org.apache.spark.sql.{Dataset, SparkSession}
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions._

final case class Reading(id: Long, k: Long, t: Long, total: Long)
final case class Joined(id: Long, total: Option[Long])
final case class Newest(id: Long, s: Option[String])
final case class Hopped(k: Long, total: Long)

/** Typed Datasets of the user's classes over results of windows, and windows over typed Datasets. */
object TypedWindows {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    import spark.implicits._
    spark.conf.set("spark.slidewise.parallel.minRows", 200L)
    spark.range(0, 4000, 1, 4)
      .selectExpr("id", "id % 5 AS k", "id * 48271 % 10007 AS t", "concat('row ', id % 101) AS s", "timestamp_seconds(id) AS ts")
      .createOrReplaceTempView("e")
    val near = "e.k = l.k AND e.t > l.t - 500 AND e.t <= l.t"
    val asOf = s"SELECT l.id, (SELECT e.s FROM e WHERE $near ORDER BY e.t DESC LIMIT 1) AS s FROM e l"
    // Spark sorts for LIMIT before a shuffle, and may take another row where blocks come from several executors.
    val newest = s"SELECT l.id, (SELECT max_by(e.s, e.t) FROM e WHERE $near) AS s FROM e l"
    def windows(over: String): Dataset[Reading] = spark.sql(s"SELECT id, k, t, sum(t) OVER ($over) AS total FROM e").as[Reading]

    val asked = Seq[(String, String, () => Dataset[_])](
      ("map", "SlidingWindow", () => windows("PARTITION BY k ORDER BY t, id ROWS 9 PRECEDING").map(r => (r.id, r.total * 2))),
      ("filter", "SlidingWindow", () => windows("ORDER BY t, id ROWS 9 PRECEDING").filter(r => r.total % 2 == 0)),
      (
        "groupByKey",
        "SlidingWindow",
        () => windows("PARTITION BY k ORDER BY t, id ROWS 9 PRECEDING").groupByKey(_.k).mapGroups((k, rows) => (k, rows.map(_.total).sum))
      ),
      (
        "a sum of groups",
        "SlidingWindow",
        () => windows("ORDER BY t, id ROWS 9 PRECEDING").groupByKey(_.k).mapValues(_.total).reduceGroups(_ + _)
      ),
      (
        "a window above",
        "SlidingWindow",
        () =>
          windows("PARTITION BY k ORDER BY t, id").map(r => r.copy(t = r.t + 1))
            .withColumn("most", max("total").over(Window.partitionBy("k").orderBy("t", "id").rowsBetween(-9, 0)))
      ),
      (
        "hopping",
        "HoppingWindow",
        () =>
          spark.sql("SELECT k, sum(t) AS total FROM e GROUP BY window(ts, '1 hour', '5 minutes'), k").as[Hopped]
            .groupByKey(_.k).mapGroups((k, rows) => (k, rows.map(_.total).sum))
      ),
      (
        "window join",
        "WindowJoin",
        () =>
          spark.sql(s"SELECT l.id, f.total FROM e l LEFT JOIN LATERAL (SELECT sum(e.t) AS total FROM e WHERE $near) f ON true")
            .as[Joined].map(_.total.getOrElse(0L))
      ),
      (
        "as-of join",
        "AsOfJoin",
        () =>
          spark.sql(if (spark.conf.get("spark.slidewise.enabled").toBoolean) asOf else newest)
            .as[Newest].map(r => (r.id, r.s.map(_.length)))
      )
    )
    for ((name, operator, dataset) <- asked) {
      def rows(slidewise: Boolean): (Seq[String], Boolean) = {
        spark.conf.set("spark.slidewise.enabled", slidewise)
        val found = dataset()
        (found.collect().toSeq.map(_.toString).sorted, found.queryExecution.executedPlan.toString.contains(s"$operator "))
      }
      val ((on, taken), (off, takenToo)) = (rows(slidewise = true), rows(slidewise = false))
      println(s"$name: taken $taken $takenToo, same ${on.nonEmpty && on == off}")
    }
    spark.stop()
  }
}
