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

  private val Read = "read"

  for ((store, settings) <- Stores)
    test(s"states in $store can be read, from snapshots and as changes") {
      def outcomesOf(sql: String, more: (String, Any)*) = withSettings(settings: _*) {
        outcomes(new Runs(sql, settings ++ more, objects = false, new Random(5)).uninterrupted)
      }
      val sparks = outcomesOf(Queries(1)._2, SparkAlone)
      for ((query, sql) <- Queries; (way, found) <- outcomesOf(sql))
        assert(
          found.subsetOf(sparks(way) + Read),
          s"$query, $way: $found, and with Spark's operator ${sparks(way)}"
        )
    }

  test("a state names its operator and its partitions") {
    for (((query, sql), operator) <- Queries.zip(Seq("slidingWindow", "hoppingWindow"))) {
      val run = new Runs(sql, Stores.head._2, objects = false, new Random(5)).uninterrupted
      val state = spark.read.format("state-metadata").load(run.folder.toString).head()
      assertEquals(state.getAs[String]("operatorName"), operator, query)
      assertEquals(state.getAs[Int]("numPartitions"), 2, query)
    }
  }

  private val another = new OneOf(Queries.size)

  for ((query, sql) <- Queries)
    test(
      another(
        s"Spark's repartitioning of the checkpoint of $query fails in words, and so does the query then"
      )
    ) {
      // Since Spark 4.2.
      val manager =
        spark.getClass.getMethods.find(_.getName == "streamingCheckpointManager").map(_.invoke(spark))
      assume(manager.nonEmpty)
      val runs = new Runs(sql, Stores(1)._2, objects = false, new Random(5))
      val run = runs.killedAt(runs.uninterrupted.changes.lastIndexWhere(_.contains("/offsets/")) - 3)
      val repartition = manager.get.getClass.getMethods.find(_.getName == "repartition").get
      val refused = intercept[java.lang.reflect.InvocationTargetException](
        repartition.invoke(manager.get, run.folder.toString, Int.box(3), Boolean.box(false))
      ).getCause
      assert(refused.asInstanceOf[SparkThrowable].getCondition.contains("STATE"), refused)
      assert(runs.restarted(run).failed.exists(_.contains("STREAMING_UNFINISHED_REPARTITION_DETECTED")))
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
      assert(
        refused.getMessage.contains("Stateful streaming queries does not support async progress"),
        s"$query: $refused"
      )
    }
  }

  /** For each way to read a state, [[Read]] if it gives the state that the plain source gives, or an error class. */
  private def outcomes(run: Run): Map[String, Set[String]] = {
    assertEquals(run.failed, None)
    val last = run.batches.keys.max
    // The last batch but one: the last one has removed what the watermark has passed.
    val kept =
      (0L to last).reverse.map(batch => batch -> entries(source(run, "batchId" -> batch))).find(_._2.size > 3)
    val (batch, state) = kept.get
    val snapshots = for {
      begin <- Seq(0L, batch / 2, batch).distinct
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

  /** The values, as JSON, by partition and key. */
  private type Entries = Map[(Int, String), String]

  private def keyOf(row: Row) = row.getAs[Int]("partition_id") -> row.getAs[Row]("key").json
  private def valueOf(row: Row) = row.getAs[Row]("value").json

  private def entries(state: DataFrame): Entries =
    state.collect().map(row => keyOf(row) -> valueOf(row)).toMap

  /** The entries after all changes, which a partition has in their order. */
  private def applied(changes: DataFrame): Entries =
    changes.collect().sortBy(_.getAs[Long]("batch_id")).foldLeft[Entries](Map.empty) { (state, row) =>
      if (row.getAs[String]("change_type") == "delete") state - keyOf(row)
      else state + (keyOf(row) -> valueOf(row))
    }

  private def outcome(expected: Entries)(read: => Entries): String =
    try {
      assertEquals(read, expected)
      Read
    } catch {
      case e: Exception =>
        Iterator
          .iterate[Throwable](e)(_.getCause)
          .takeWhile(_ != null)
          .collectFirst { case s: SparkThrowable if s.getCondition != null => s.getCondition }
          .getOrElse(throw e)
    }
}
