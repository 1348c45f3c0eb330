package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Dataset, Row, SparkSession, SQLContext}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery}

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.shims.MemoryStreams.MemoryStream
import org.slidewise.spark.shims.SparkStreaming.StreamingQueryWrapper

/** A suite that runs small streams of (key, second, number). */
abstract private[streams] class StreamSuite extends SparkSuite {
  protected type Event = (String, Int, Int)

  // MemoryStream takes the one or the other, depending on the patch of Spark.
  implicit protected def sessionOfStreams: SparkSession = spark
  implicit protected def contextOfStreams: SQLContext = spark.sqlContext

  protected def events(): MemoryStream[Event] = {
    val session = spark
    import session.implicits._
    MemoryStream[Event]
  }

  /** Its rows as a stream with the columns `k`, `ts`, `n`, and a watermark of ten seconds. */
  protected def stream(source: MemoryStream[Event]): DataFrame =
    source
      .toDF()
      .selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts", "_3 AS n")
      .withWatermark("ts", "10 seconds")

  protected val LastTwo = "OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"

  protected def temporary(): Path = Files.createTempDirectory("slidewise-stream")

  /** Writes `answers`, giving each row to `receive`. */
  protected def writing(answers: DataFrame, checkpoint: Path)(receive: Row => Unit): DataStreamWriter[Row] = {
    def received(batch: Dataset[Row], number: Long): Unit = batch.collect().foreach(receive)
    answers.writeStream.foreachBatch(received _).option("checkpointLocation", checkpoint.toString)
  }

  /** Runs `body` with the query that writes `answers`, stops the query, and gives the rows that it wrote. */
  protected def running(answers: DataFrame, checkpoint: Path = temporary())(
      body: StreamingQuery => Unit
  ): Set[Seq[Any]] = {
    val rows = new ConcurrentLinkedQueue[Row]
    val query = writing(answers, checkpoint)(row => rows.add(row)).start()
    try body(query)
    finally query.stop()
    rows.asScala.map(_.toSeq).toSet
  }

  protected def operatorsOf(query: StreamingQuery): Seq[StreamingSlidingWindowExec] =
    query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution.executedPlan.collect {
      case operator: StreamingSlidingWindowExec => operator
    }
}
