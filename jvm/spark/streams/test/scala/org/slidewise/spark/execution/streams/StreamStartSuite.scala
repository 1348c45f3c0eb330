package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration.{Duration, DurationInt}

import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}

/** What happens when a query is started: the choice of the state store, and what is refused. */
class StreamStartSuite extends StreamSuite {
  override val munitTimeout: Duration = 10.minutes

  private val Provider = SQLConf.STATE_STORE_PROVIDER_CLASS.key
  private val RocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  private val InMemory = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"

  private def window(answers: String = s"sum(n) $LastTwo"): DataFrame =
    stream(events()).withColumn("a", expr(answers))

  /** The provider that the checkpoint of a query that has run a batch names. */
  private def providerOf(query: StreamingQuery): String = {
    import org.slidewise.spark.shims.SparkStreaming.StreamingQueryWrapper
    val log = query.asInstanceOf[StreamingQueryWrapper].streamingQuery.offsetLog
    val text = Files.readString(Path.of(log.metadataPath.toUri).resolve(log.getLatest().get._1.toString))
    val provider = "\"" + Provider.replace(".", "\\.") + "\":\"([^\"]+)\""
    provider.r.findFirstMatchIn(text).get.group(1)
  }

  test("a window keeps its state in RocksDB, and neither the session nor another query does") {
    val before = spark.conf.getAll
    val (windows, others) = (events(), events())
    running(stream(windows).withColumn("a", expr(s"sum(n) $LastTwo"))) { query =>
      windows.addData(("a", 1, 1))
      query.processAllAvailable()
      assertEquals(spark.conf.getAll, before)
      assertEquals(providerOf(query), RocksDb)
      assert(query.lastProgress.stateOperators.head.customMetrics.containsKey("rocksdbPutCount"))
      running(stream(others).dropDuplicates("k")) { other =>
        others.addData(("a", 1, 1))
        other.processAllAvailable()
        assertEquals(providerOf(other), InMemory)
      }
    }
    assertEquals(spark.conf.getAll, before)
  }

  test("a state store that the session names, or that the checkpoint was begun with, is kept") {
    val (source, checkpoint) = (events(), temporary())
    val answers = stream(source).withColumn("a", expr(s"sum(n) $LastTwo"))
    withSettings(Provider -> InMemory) {
      running(answers, checkpoint) { query =>
        source.addData(("a", 1, 1))
        query.processAllAvailable()
        assertEquals(providerOf(query), InMemory)
      }
    }
    assert(!spark.conf.getAll.contains(Provider))
    running(answers, checkpoint) { query =>
      source.addData(("a", 2, 1))
      query.processAllAvailable()
      assertEquals(providerOf(query), InMemory)
    }
  }

  private def start(answers: DataFrame, checkpoint: Path, mode: String = "append"): Unit =
    writing(answers, checkpoint)(_ => ()).outputMode(mode).start().stop()

  private def refused(answers: => DataFrame, mode: String = "append"): String =
    intercept[AnalysisException] {
      start(answers, temporary(), mode)
    }.getMessage

  for (mode <- Seq("update", "complete"))
    test(s"the output mode $mode is refused") {
      val message = refused(window(), mode)
      assert(message.contains("SLIDEWISE_UNSUPPORTED_STREAM_WINDOW"), message)
      assert(message.contains(s"the output mode is $mode. Use append"), message)
    }

  test("a state in Avro is refused with what to use") {
    val message = withSettings(SQLConf.STREAMING_STATE_STORE_ENCODING_FORMAT.key -> "avro")(refused(window()))
    assert(message.contains("SLIDEWISE_UNSUPPORTED_STREAM_WINDOW"), message)
    assert(message.contains("Set it to unsaferow"), message)
  }

  test("the continuous trigger is refused with what to use") {
    for (mode <- Seq("append", "eager")) {
      val refused = withSettings("spark.slidewise.streaming.mode" -> mode) {
        val answers = spark.readStream
          .format("rate")
          .load()
          .withWatermark("timestamp", "10 seconds")
          .withColumn("a", expr("sum(value) OVER (ORDER BY timestamp ROWS 1 PRECEDING)"))
        intercept[AnalysisException](
          answers.writeStream
            .format("console")
            .option("checkpointLocation", temporary().toString)
            .trigger(Trigger.Continuous("1 second"))
            .start()
        )
      }
      assert(refused.getMessage.contains("SLIDEWISE_UNSUPPORTED_STREAM_WINDOW"), refused.getMessage)
      assert(refused.getMessage.contains("the trigger is continuous"), refused.getMessage)
    }
  }

  test("a query whose definition or start finds Slidewise off is refused with that reason") {
    def off[T](body: => T): T = withSettings("spark.slidewise.enabled" -> "false")(body)
    for (
      attempt <- Seq(
        () => off(refused(window())),
        { () =>
          val defined = window(); off(refused(defined))
        }
      )
    ) {
      val message = attempt()
      assert(message.contains("SLIDEWISE_UNSUPPORTED_STREAM_WINDOW"), message)
      assert(message.contains("switched off in this session by spark.slidewise.enabled = false"), message)
    }
    val defined = off(window())
    assert(
      refused(defined).contains("defined while spark.slidewise.enabled was false. Define the query again")
    )
  }

  test("streams without windows start with Slidewise on and off, in any output mode") {
    for (enabled <- Seq("true", "false"); mode <- Seq("update", "complete"))
      withSettings("spark.slidewise.enabled" -> enabled) {
        start(stream(events()).groupBy("k").count(), temporary(), mode)
      }
  }

  test("another window over a checkpoint is refused at the start, without data, and the first continues") {
    val (source, checkpoint) = (events(), temporary())
    def answers(a: String) = stream(source).withColumn("a", expr(a)).withColumn("now", expr("now()"))
    running(answers(s"sum(n) $LastTwo"), checkpoint) { query =>
      source.addData(("a", 1, 1))
      query.processAllAvailable()
    }
    for (
      other <- Seq(
        s"max(n) $LastTwo",
        s"sum(n + 1) $LastTwo",
        s"sum(n) ${LastTwo.replace("1 PRECEDING", "2 PRECEDING")}",
        s"sum(n) ${LastTwo.replace("BY k", "BY n")}"
      )
    ) {
      val error = intercept[AnalysisException](start(answers(other), checkpoint))
      assertEquals(error.getCondition, CheckpointChanged.Condition)
      assert(error.getMessage.contains("belongs to another query"), error.getMessage)
    }
    val found = running(answers(s"sum(n) $LastTwo").drop("now"), checkpoint) { query =>
      source.addData(("a", 2, 2), ("a", 100, 0))
      query.processAllAvailable()
      source.addData(("a", 200, 0))
      query.processAllAvailable()
    }
    assertEquals(found.map(_.last), Set[Any](1L, 3L, 2L))
  }

  test("an error of the check itself, even in linking, does not fail the query") {
    val (source, checkpoint) = (events(), temporary())
    val answers = stream(source).withColumn("a", expr(s"sum(n) $LastTwo"))
    running(answers, checkpoint) { query =>
      source.addData(("a", 1, 1))
      query.processAllAvailable()
    }
    for (error <- Seq(new NoClassDefFoundError("of a test"), new IllegalStateException("of a test"))) {
      val armed = new AtomicBoolean(true)
      val failing = new Rule[LogicalPlan] {
        override def apply(plan: LogicalPlan): LogicalPlan = if (armed.getAndSet(false)) throw error else plan
      }
      spark.experimental.extraOptimizations = Seq(failing)
      try
        running(answers, checkpoint) { query =>
          assert(!armed.get, "the check has not optimized the query")
          source.addData(("a", 2, 2))
          query.processAllAvailable()
        }
      finally spark.experimental.extraOptimizations = Nil
    }
  }

  test("a window over times of the batch is the same window at the next start") {
    val (source, checkpoint) = (events(), temporary())
    val answers =
      stream(source).withColumn(
        "a",
        expr(s"count_if(ts > now() - INTERVAL 9 DAYS OR ts > current_date()) $LastTwo")
      )
    for (second <- 1 to 2) running(answers, checkpoint) { query =>
      source.addData(("a", second, 1))
      query.processAllAvailable()
    }
  }

  test("functions that name their buffers by the SQL of their arguments continue over a view") {
    val (source, checkpoint) = (events(), temporary())
    stream(source).createOrReplaceTempView("rated")
    val answers = spark.sql("SELECT *, dense_rank() OVER (PARTITION BY k ORDER BY ts) AS a FROM rated")
    val found = for (second <- 1 to 2) yield running(answers, checkpoint) { query =>
      source.addData(("a", 1000 * second, 1), ("a", 1000 * second + 100, 1))
      query.processAllAvailable()
      source.addData(("a", 1000 * second + 200, 1))
      query.processAllAvailable()
    }
    assertEquals(found.map(_.map(_.last)), Seq(Set[Any](1, 2), Set[Any](3, 4, 5)))
  }
}
