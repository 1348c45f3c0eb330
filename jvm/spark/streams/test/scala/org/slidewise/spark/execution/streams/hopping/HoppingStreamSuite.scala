package org.slidewise.spark.execution.streams.hopping

import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.sql.{AnalysisException, DataFrame, Dataset, Row}
import org.apache.spark.sql.execution.exchange.EnsureRequirements
import org.apache.spark.sql.functions.{count, expr, session_window, sum, window}
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryException}

import org.slidewise.spark.LogMessages
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.streams.{StateNotAssigned, StreamSuite}
import org.slidewise.spark.plan.StreamRefused
import org.slidewise.spark.shims.MemoryStreams.MemoryStream
import org.slidewise.spark.shims.SparkStreaming.StreamingQueryWrapper

/** What Spark's planner gives to the state of hopping windows. */
class HoppingStreamSuite extends StreamSuite {

  private def hopping(rows: DataFrame): DataFrame =
    rows.groupBy(expr("k"), window(expr("ts"), "30 seconds", "10 seconds")).agg(sum("n").as("s"))

  private def statesOf(query: StreamingQuery): Seq[HoppingWindowStateExec] =
    query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution.executedPlan.collect {
      case state: HoppingWindowStateExec => state
    }

  /** Runs `body` with the query in the output mode. */
  private def runningIn(mode: String, answers: DataFrame)(body: StreamingQuery => Unit): Unit = {
    val query = writing(answers, temporary())((_: Row) => ()).outputMode(mode).start()
    try body(query)
    finally query.stop()
  }

  for (mode <- Seq(OutputMode.Append(), OutputMode.Update(), OutputMode.Complete()))
    test(s"the operator gets the output mode $mode, its state and its watermarks") {
      val source = events()
      runningIn(mode.toString, hopping(stream(source))) { query =>
        source.addData(("a", 100, 1))
        query.processAllAvailable()
        source.addData(("a", 200, 1))
        query.processAllAvailable()
        assertEquals(statesOf(query).size, 1)
        val state = statesOf(query).head
        assertEquals(state.outputMode, Option(mode))
        assertEquals(state.getStateInfo.operatorId, 0L)
        assert(state.assigned.state.eviction.exists(_ >= 90000L))
        assert(state.assigned.state.lateEvents.isDefined)
      }
    }

  test("two aggregations in a row have a state and watermarks each") {
    val source = events()
    val twice = hopping(stream(source))
      .groupBy(window(expr("window_time(window)"), "1 minute", "30 seconds"))
      .agg(count("*"))
    runningIn("append", twice) { query =>
      source.addData(("a", 100, 1))
      query.processAllAvailable()
      source.addData(("a", 500, 1))
      query.processAllAvailable()
      assertEquals(statesOf(query).map(_.getStateInfo.operatorId), Seq(0L, 1L))
    }
  }

  test("a stream without data in a batch leaves the operator in the plan") {
    val (first, second) = (events(), events())
    def plain(source: MemoryStream[Event]) =
      source.toDF().selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts", "_3 AS n")
    runningIn("update", hopping(plain(first).union(plain(second)))) { query =>
      first.addData(("a", 1, 1))
      query.processAllAvailable()
      assertEquals(statesOf(query).size, 1)
      second.addData(("b", 1, 1))
      query.processAllAvailable()
      assertEquals(statesOf(query).size, 1)
      assertEquals(query.lastProgress.stateOperators.head.numRowsTotal, 2L)
    }
  }

  test("a plan to which Spark's rules have assigned no state is refused when shuffles are planned") {
    val source = events()
    runningIn("update", hopping(stream(source))) { query =>
      source.addData(("a", 1, 1))
      query.processAllAvailable()
      val unassigned = statesOf(query).head.copy(assigned = AssignedAggregation.Nothing)
      val refused = intercept[StateNotAssigned](EnsureRequirements()(unassigned))
      assert(refused.getMessage.contains("assigned no state, watermark for late rows"), refused.getMessage)
    }
  }

  test("a checkpoint that Spark has begun goes on with Spark's operator, and one line of the log says so") {
    val (source, checkpoint) = (events(), temporary())
    def run(): (Seq[HoppingWindowStateExec], Seq[String]) = {
      var states: Seq[HoppingWindowStateExec] = Nil
      val lines = LogMessages.during {
        val query = writing(hopping(stream(source)), checkpoint)((_: Row) => ()).outputMode("update").start()
        try {
          source.addData(("a", 100, 1))
          query.processAllAvailable()
          states = statesOf(query)
        } finally query.stop()
      }
      (states, lines.filter(_.contains("was begun by Spark's own operators")))
    }
    spark.conf.set(SlidewiseSettings.Enabled, "false")
    try assertEquals(run(), (Nil, Nil))
    finally spark.conf.unset(SlidewiseSettings.Enabled)
    val (states, lines) = run()
    assertEquals(states, Nil)
    assertEquals(lines.size, 1, lines)
    assert(lines.head.contains(checkpoint.toString), lines)
  }

  private def sessions(rows: DataFrame): DataFrame =
    rows.groupBy(expr("k"), session_window(expr("ts"), "5 seconds").as("window")).agg(sum("n").as("s"))

  for (
    (kind, windows, expected) <- Seq(
      ("hopping", hopping _, Seq[Any]("a", 1L, 2L)),
      ("session", sessions _, Seq[Any]("a", 0L, 1L))
    )
  )
    test(s"an order by a $kind window over a stream names the remedy, which runs") {
      val source = events()
      def ordered(by: String) = windows(stream(source))
        .withColumn("end", expr("window.end"))
        .withColumn("s", expr("s + 0"))
        .withColumn("a", expr(s"sum(s) OVER (PARTITION BY k ORDER BY $by ROWS 1 PRECEDING)"))
      for (by <- Seq("window.end", "window.start", "window", "end")) {
        val refused = intercept[StreamRefused](ordered(by))
        assert(refused.getMessage.contains("order by window_time(window)"), refused.getMessage)
      }
      val found = running(ordered("window_time(window)").select("k", "s", "a")) { query =>
        source.addData(("a", 1, 1), ("a", 100, 0), ("a", 200, 0))
        query.processAllAvailable()
      }
      assert(found.contains(expected), found)
    }

  test("a window over a stream that needs the rows of a whole partition is refused with a remedy") {
    val source = events()
    val tile = intercept[StreamRefused](
      stream(source).withColumn("a", expr("ntile(4) OVER (PARTITION BY k ORDER BY ts)"))
    )
    assert(tile.getMessage.contains("write the stream to a table"), tile.getMessage)
  }

  /** Starts the query, lets it fail or process a row, and gives the operators of its last batch. */
  private def operatorsAfter(
      checkpoint: Path,
      answers: DataFrame,
      source: MemoryStream[Event],
      n: Int
  ): Seq[String] = {
    val query = writing(answers, checkpoint)((_: Row) => ()).outputMode("update").start()
    try {
      source.addData(("a", 100, n))
      query.processAllAvailable()
      query.lastProgress.stateOperators.map(_.operatorName).toSeq
    } finally query.stop()
  }

  private def off[T](body: => T): T = withSettings(SlidewiseSettings.Enabled -> "false")(body)

  private def failing(source: MemoryStream[Event]) =
    hopping(stream(source).withColumn("n", expr("if(n < 0, raise_error('of a test'), n)")))

  for (begunOn <- Seq(true, false))
    test(
      s"a first batch that failed ${if (begunOn) "with" else "without"} Slidewise hands the state to nobody"
    ) {
      val (source, checkpoint) = (events(), temporary())
      def in[T](isOn: Boolean)(body: => T): T = if (isOn) body else off(body)
      intercept[StreamingQueryException](in(begunOn)(operatorsAfter(checkpoint, failing(source), source, -1)))
      val other = Map(true -> "hoppingWindow", false -> "stateStoreSave")(!begunOn)
      assertEquals(in(!begunOn)(operatorsAfter(checkpoint, hopping(stream(source)), source, 1)), Seq(other))
      val again = hopping(stream(source))
      assertEquals(
        if (begunOn) operatorsAfter(checkpoint, again, source, 2)
        else in(true)(operatorsAfter(checkpoint, again, source, 2)),
        Seq(other)
      )
    }

  test("a state of Slidewise without its description is refused, with Slidewise on and off") {
    val (source, checkpoint) = (events(), temporary())
    assertEquals(operatorsAfter(checkpoint, hopping(stream(source)), source, 1), Seq("hoppingWindow"))
    val description = checkpoint.resolve("slidewise/0.json")
    val content = Files.readAllBytes(description)
    Files.delete(description)
    val refused = intercept[AnalysisException](operatorsAfter(checkpoint, hopping(stream(source)), source, 2))
    assert(refused.getMessage.contains("0.json is missing"), refused.getMessage)
    intercept[Exception](off(operatorsAfter(checkpoint, hopping(stream(source)), source, 2)))
    assert(!Files.exists(description))
    Files.write(description, content)
    assertEquals(operatorsAfter(checkpoint, hopping(stream(source)), source, 2), Seq("hoppingWindow"))
  }

  test("foreachBatch may persist its rows") {
    val source = events()
    val found = new ConcurrentLinkedQueue[Long]
    def received(batch: Dataset[Row], number: Long): Unit = {
      batch.persist()
      found.add(batch.count())
      batch.unpersist()
    }
    val query = hopping(stream(source)).writeStream
      .outputMode("update")
      .option("checkpointLocation", temporary().toString)
      .foreachBatch(received _)
      .start()
    try {
      source.addData(("a", 100, 1), ("b", 100, 1))
      query.processAllAvailable()
      assertEquals(statesOf(query).size, 1)
    } finally query.stop()
    assertEquals(found.peek(), 6L)
  }

  test("Spark's checks of output modes and watermarks hold") {
    val source = events()
    val rows = source.toDF().selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts", "_3 AS n")
    val refused = intercept[AnalysisException](runningIn("append", hopping(rows))(_ => ()))
    assert(refused.getMessage.contains("watermark"), refused.getMessage)
  }
}
