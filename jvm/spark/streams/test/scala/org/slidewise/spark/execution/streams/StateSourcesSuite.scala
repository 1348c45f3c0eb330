package org.slidewise.spark.execution.streams

import scala.concurrent.duration.{Duration, DurationInt}
import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.streaming.StreamingQueryException

import org.slidewise.OneOf

/** Spark's sources over the states of Slidewise, against those of Spark's own aggregation in the same store. */
class StateSourcesSuite extends RunsOfStreams {
  import RunsOfStreams._

  override val munitTimeout: Duration = 10.minutes

  private val one = new OneOf(2)

  for ((store, settings) <- Stores) test(one(s"states in $store can be read, from snapshots and as changes")) {
    val sparks =
      outcomes(new Runs(Queries(1)._2, settings :+ SparkAlone, objects = false, new Random(5)).uninterrupted)
    for ((query, sql) <- Queries) {
      val run = new Runs(sql, settings, objects = false, new Random(5)).uninterrupted
      assertEquals(outcomes(run), sparks, s"$query in $store")
      val described = spark.read.format("state-metadata").load(run.folder.toString).head()
      assertEquals(described.getAs[Int]("numPartitions"), 2)
      assert(Seq("slidingWindow", "hoppingWindow").contains(described.getAs[String]("operatorName")))
    }
  }

  for ((query, sql) <- Queries) test(s"Spark's repartitioning of the checkpoint of $query fails in words, and so does the query then") {
    // Since Spark 4.2.
    val manager = spark.getClass.getMethods.find(_.getName == "streamingCheckpointManager").map(_.invoke(spark))
    assume(manager.nonEmpty)
    val runs = new Runs(sql, Stores(1)._2, objects = false, new Random(5))
    val run = runs.killedAt(runs.uninterrupted.changes.lastIndexWhere(_.contains("/offsets/")) - 3)
    val repartition = manager.get.getClass.getMethods.find(_.getName == "repartition").get
    val refused = intercept[java.lang.reflect.InvocationTargetException](
      repartition.invoke(manager.get, run.folder.toString, Int.box(3), Boolean.box(false))
    ).getCause
    println(s"REPARTITION $query ${refused}")
    println(s"REPARTITION $query ${runs.restarted(run).failed}")
  }

  test("asynchronous progress is refused, as with Spark's stateful operators") {
    for ((query, sql) <- Queries) {
      val source = events()
      stream(source).createOrReplaceTempView("events")
      source.addData(("a", 1, 1))
      val refused = intercept[StreamingQueryException] {
        val running = spark
          .sql(sql)
          .writeStream
          .format("noop")
          .option("asyncProgressTrackingEnabled", true)
          .option("checkpointLocation", temporary().toString)
          .start()
        try running.processAllAvailable()
        finally running.stop()
      }
      assert(refused.getMessage.contains("Stateful streaming queries does not support async progress"), s"$query: $refused")
    }
  }

  /** For each way to read a state, `read` if it gives the state that the plain source gives, or an error class. */
  private def outcomes(run: Run): Map[String, Set[String]] = {
    assertEquals(run.failed, None)
    val last = run.batches.keys.max
    // The last batch but one: the last one has removed what the watermark has passed.
    val kept = (0L to last).reverse.map(batch => batch -> entries(source(run, "batchId" -> batch))).find(_._2.size > 3)
    val (batch, state) = kept.get
    val snapshots = for {
      begin <- 0L to batch
      partition <- 0 to 1
    } yield outcome(state.filter(_._1._1 == partition)) {
      entries(
        source(run, "batchId" -> batch, "snapshotStartBatchId" -> begin, "snapshotPartitionId" -> partition)
      )
    }
    val changes = outcome(state) {
      applied(source(run, "readChangeFeed" -> true, "changeStartBatchId" -> 0, "changeEndBatchId" -> batch))
    }
    Map("snapshots" -> snapshots.toSet, "changes" -> Set(changes))
  }

  private def source(run: Run, options: (String, Any)*): DataFrame = options
    .foldLeft(spark.read.format("statestore")) { case (reader, (key, value)) =>
      reader.option(key, value.toString)
    }
    .load(run.folder.toString)

  private type Entries = Map[(Int, Row), Row]

  private def entryOf(row: Row) =
    (row.getAs[Int]("partition_id"), row.getAs[Row]("key")) -> row.getAs[Row]("value")

  private def entries(state: DataFrame): Entries = state.collect().map(entryOf).toMap.map(shown)

  private def shown(entry: ((Int, Row), Row)) = entry match {
    case ((partition, key), value) => (partition, Row(key.json)) -> Row(value.json)
  }

  /** The entries after all changes, which a partition has in their order. */
  private def applied(changes: DataFrame): Entries =
    changes.collect().sortBy(_.getAs[Long]("batch_id")).foldLeft[Entries](Map.empty) { (state, row) =>
      val (key, value) = entryOf(row)
      row.getAs[String]("change_type") match {
        case "delete" => state - shown(key -> Row())._1
        case _        => state + shown(key -> value)
      }
    }

  private def outcome(expected: Entries)(read: => Entries): String =
    try {
      assertEquals(read, expected)
      "read"
    } catch {
      case e: Exception =>
        Iterator
          .iterate[Throwable](e)(_.getCause)
          .takeWhile(_ != null)
          .collectFirst { case s: SparkThrowable if s.getCondition != null => s.getCondition }
          .getOrElse(throw e)
    }
}
