package org.slidewise.spark.execution.streams.checkpoints

import java.nio.file.{Files, Path}

import org.apache.spark.sql.DataFrame

import org.slidewise.spark.execution.streams.StreamSuite

/** Streams that go on from a rescaled checkpoint, on each Spark minor. */
class RescaleSuite extends StreamSuite {
  // No two rows have the same time: their order would depend on the number of partitions.
  private val batches = (0 until 3).map { number =>
    (0 until 60).map(i => (Seq("a", "b", "c", null)(i % 4), number * 100 + (i * 7) % 60 * 2 + number % 2, i))
  }

  private val windows = Seq(
    "sum(n) OVER (PARTITION BY k ORDER BY ts ROWS 20 PRECEDING)",
    "count(DISTINCT n) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL 1 MINUTE PRECEDING)",
    "max(n) OVER (PARTITION BY k, n % 3 ORDER BY ts)",
    "row_number() OVER (ORDER BY ts)"
  )

  private def over(events: DataFrame) = events.selectExpr("k" +: "ts" +: "n" +: windows: _*)

  private def hopping(events: DataFrame) = {
    events.createOrReplaceTempView("events_to_rescale")
    spark.sql(
      "SELECT k, window.start, sum(n), count(*) FROM events_to_rescale GROUP BY k, window(ts, '30 seconds', '10 seconds')"
    )
  }

  private def run(query: DataFrame => DataFrame, checkpoint: Path, known: Int): Set[Seq[Any]] = {
    val source = events()
    batches.take(known).foreach(source.addData(_))
    running(query(stream(source)), checkpoint) { running =>
      running.processAllAvailable()
      batches.slice(known, known + 1).foreach(source.addData(_))
      running.processAllAvailable()
    }
  }

  private val providers = StateStores.Providers
  private val setting = "spark.sql.streaming.stateStore"

  for {
    (name, query) <- Seq[(String, DataFrame => DataFrame)]("windows" -> over, "hopping windows" -> hopping)
    (from, format, to) <- Seq(("rocksdb", 1, "hdfs"), ("hdfs", 1, "rocksdb"), ("rocksdb", 2, "rocksdb"))
  } test(s"$name go on from $from, format $format, in $to") {
    val settings: Seq[(String, Any)] = Seq(
      s"$setting.providerClass" -> providers(from),
      s"$setting.checkpointFormatVersion" -> format,
      s"$setting.rocksdb.changelogCheckpointing.enabled" -> true,
      "spark.sql.shuffle.partitions" -> 2
    )
    withSettings(settings: _*) {
      val folder = temporary()
      val (old, next) = (folder.resolve("old"), folder.resolve("new"))
      run(query, old, known = 1)
      CheckpointCommands.rescale(spark, old.toString, next.toString, "3", to)
      Seq(old, next).foreach { checkpoint =>
        val report = CheckpointCommands.inspect(spark, checkpoint.toString)
        assert(report.contains("\"problems\":[]") && !report.contains("\"problems\":[\""), report)
      }
      val got = run(query, next, known = 2)
      assertEquals(got, run(query, old, known = 2))
      assert(got.nonEmpty)
      assert(Files.exists(next.resolve("state/0/0")))
    }
  }
}
