package org.slidewise.spark.execution.streams

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.expr

import org.slidewise.spark.shims.MemoryStreams.MemoryStream

/** A checkpoint is continued with another filter below the window; rows, keys and panes of before stay as they were. */
class OtherFilterSuite extends StreamSuite {
  private val filters = Seq("true", "s != 'q'", "s IS NOT NULL AND key IS NOT NULL", "length(s) > 0", "true")

  private def rows(source: MemoryStream[Event], filter: String): DataFrame = stream(source)
    .selectExpr(
      "CASE WHEN n % 3 > 0 THEN k END AS key",
      "ts",
      "n",
      "CASE WHEN n % 2 = 1 THEN concat('s', n) END AS s",
      "CASE WHEN n % 2 = 1 THEN array(named_struct('x', k)) END AS a"
    )
    .where(filter)

  /** Runs `query` with each of the filters; in each batch a row with null, and one without. */
  private def run(mode: String, query: DataFrame => DataFrame): Set[Seq[Any]] = {
    val (source, checkpoint) = (events(), temporary())
    val found = Set.newBuilder[Seq[Any]]
    for ((filter, i) <- filters.zipWithIndex) {
      val started =
        writing(query(rows(source, filter)), checkpoint)(row => found.synchronized(found += row.toSeq))
          .outputMode(mode)
          .start()
      try {
        source.addData((0 until 6).map(j => ("a", i * 10 + j + 1, i * 10 + j)): _*)
        started.processAllAvailable()
      } finally started.stop()
    }
    found.result()
  }

  private def kept(i: Int, j: Int): Boolean = {
    val n = i * 10 + j
    val (hasText, hasKey) = (n % 2 == 1, n % 3 > 0)
    filters(i) match {
      case "true"                         => true
      case other if other.contains("key") => hasText && hasKey
      case _                              => hasText
    }
  }

  test("windows") {
    val over = "OVER (PARTITION BY key ORDER BY ts ROWS 2 PRECEDING)"
    val found = run(
      "append",
      _.select(
        expr("n"),
        expr("s"),
        expr("key"),
        expr("a"),
        expr(s"count(s) $over").as("c"),
        expr(s"max(coalesce(s, 'none')) $over").as("m"),
        expr(s"count(DISTINCT s) $over").as("d"),
        expr(s"lag(s) $over".replace(" ROWS 2 PRECEDING", "")).as("l")
      )
    )
    val all = for (i <- filters.indices; j <- 0 until 6 if kept(i, j)) yield i * 10 + j
    val expected = all.filter(_ + 1 <= 36).map { n =>
      def key(m: Int) = m % 3 > 0
      def text(m: Int) = if (m % 2 == 1) s"s$m" else null
      val before = all.filter(m => m <= n && key(m) == key(n)).takeRight(3)
      val texts = before.map(text)
      Seq[Any](
        n,
        text(n),
        if (key(n)) "a" else null,
        texts.count(_ != null).toLong,
        texts.map(t => Option(t).getOrElse("none")).max,
        texts.filter(_ != null).distinct.size.toLong,
        before.dropRight(1).lastOption.map(text).orNull
      )
    }
    assertEquals(found.map(row => row.take(3) ++ row.drop(4)), expected.toSet[Seq[Any]])
  }

  test("hopping windows") {
    val found = run(
      "update",
      _.groupBy(expr("key"), expr("window(ts, '40 seconds', '20 seconds')"))
        .agg(expr("count(s)").as("c"), expr("max(s)").as("m"), expr("count(*)").as("r"))
        .selectExpr("key", "unix_seconds(window.start)", "c", "r")
    )
    val all = for (i <- filters.indices; j <- 0 until 6 if kept(i, j)) yield i * 10 + j
    for (start <- Seq(0, 20); isNull <- Seq(true, false)) {
      val rows = all.filter(n => n + 1 >= start && n + 1 < start + 40 && (n % 3 == 0) == isNull)
      val counted =
        Seq[Any](if (isNull) null else "a", start.toLong, rows.count(_ % 2 == 1).toLong, rows.size.toLong)
      assert(found.contains(counted), s"$counted of $found")
    }
  }
}
