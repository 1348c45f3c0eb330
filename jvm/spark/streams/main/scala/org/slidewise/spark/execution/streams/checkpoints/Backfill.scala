package org.slidewise.spark.execution.streams.checkpoints

import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Dataset, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast}
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan, Project}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.Trigger

import org.slidewise.spark.shims.{LogicalData, SparkSessions}

/**
 * Writes the first checkpoint of a streaming query that has not run, with the state that the query has after the rows of a table.
 *
 * The query runs over the table in one batch, in a folder beside the checkpoint, instead of over its own source. Its operators thus
 * write the state in their own form. A batch without rows follows, in which the watermark takes effect. The logs contain no offsets
 * of the source. Spark therefore begins the source as in a new query, according to the options of the source.
 *
 * Cost: writes the rows of the table once, and runs the query over them.
 */
final private[checkpoints] class Backfill(
    query: Dataset[_],
    source: LogicalPlan,
    history: Dataset[Row],
    mode: String,
    to: CheckpointFolder,
    sink: Option[CheckpointFolder]
) {
  import StoppedQuery.Unfinished

  private val session: SparkSession = query.sparkSession
  private val work = new Path(to.path.getParent, s".slidewise-backfill-${UUID.randomUUID}")
  private val from = new CheckpointFolder(new Path(work, "checkpoint"), to.hadoopConf)

  /** Writes the checkpoint, and returns the query as it stands in it. */
  def run(): StoppedQuery =
    try {
      runQuery()
      publish()
    } finally work.getFileSystem(to.hadoopConf).delete(work, true)

  private def runQuery(): Unit = {
    val rows = new Path(work, "rows").toString
    Backfill.exactly(history).write.parquet(rows)
    val found = session.readStream.schema(history.schema).parquet(rows)
    val running = LogicalData
      .of(session, Backfill.replaced(query, source, SparkSessions.queryOf(found).analyzed))
      .writeStream
      .format("noop")
      .outputMode(mode)
      .option("checkpointLocation", from.path.toString)
      .trigger(Trigger.AvailableNow())
      .start()
    try running.awaitTermination()
    finally running.stop()
  }

  private def publish(): StoppedQuery = {
    val done = StoppedQuery.in(from)
    val barrier = s"offsets/${done.batch + 2}"
    // Another call, or the query itself, may have begun in the meantime.
    if (!to.begin(barrier, Unfinished)) Backfill.refuseFiles("path", to)
    sink.filter(_.hasFiles).foreach { folder =>
      to.delete()
      Backfill.refuseFiles("file_sink", folder)
    }
    try {
      Seq("metadata", "slidewise").foreach(to.copyFrom(from, _))
      to.moveFrom(from, "state")
      moveSchemaPaths()
      for (batch <- done.batch - 1 to done.batch if batch >= 0) {
        to.write(s"offsets/$batch", Backfill.withoutOffsets(from.entry(s"offsets/$batch")).text)
        to.write(s"commits/$batch", from.text(s"commits/$batch"))
      }
      // Readers of the file sink need an entry for each batch from the first on.
      for (folder <- sink; batch <- 0L to done.batch) folder.write(s"${Backfill.SinkLog}/$batch", "v1")
      to.deleteFile(barrier)
      StoppedQuery.in(to)
    } catch {
      case e: Throwable =>
        try {
          to.delete()
          sink.foreach(_.deleteFile(Backfill.SinkLog))
        } catch { case NonFatal(another) => e.addSuppressed(another) }
        throw e
    }
  }

  /** Operators with several state variables name the files of their schemas by absolute paths. */
  private def moveSchemaPaths(): Unit =
    for (operator <- to.operators; batch <- to.batches(s"state/$operator/_metadata/v2")) {
      val name = s"state/$operator/_metadata/v2/$batch"
      val (before, now) = (s"/${work.getName}/${from.path.getName}/", s"/${to.path.getName}/")
      val text = to.text(name).replace(before, now)
      to.deleteFile(name) // Some file systems replace no file
      to.write(name, text)
    }
}

private[checkpoints] object Backfill {

  /** Throws [[InvalidCheckpoint]] if an argument is not allowed. Nothing has been written then. */
  def of(
      query: Dataset[_],
      history: Dataset[_],
      mode: String,
      to: CheckpointFolder,
      sink: Option[CheckpointFolder]
  ): Backfill = {
    if (!query.isStreaming)
      refuse("query", "a table", "is no stream", "Allowed: the query that will be started")
    if (history.isStreaming) refuse("history", "a stream", "is no table", "Allowed: a table of earlier rows")
    if (to.hasFiles) refuseFiles("path", to)
    sink.filter(_.hasFiles).foreach(refuseFiles("file_sink", _))
    if (!SparkSessions.of(query.sparkSession).sessionState.conf.streamingNoDataMicroBatchesEnabled)
      refuse(
        SQLConf.STREAMING_NO_DATA_MICRO_BATCHES_ENABLED.key,
        "false",
        "would leave all rows of the table to the first batch of the query",
        "Allowed: true, for the time of the call"
      )
    val analyzed = SparkSessions.queryOf(query).analyzed
    val (references, sources) =
      analyzed.collectLeaves().filter(_.isStreaming).partition(_.isInstanceOf[CTERelationRef])
    val read = references.collect { case reference: CTERelationRef => reference.cteId }
    val source = sources match {
      case Seq(one) if read.distinct.size == read.size => one
      case _                                           =>
        refuse(
          "query",
          s"a query over ${math.max(sources.size, read.size)} streams",
          "has several",
          "Allowed: a query over one stream"
        )
    }
    new Backfill(query, source, columnsOf(history, source.output), mode, to, sink)
  }

  /** The columns of the source, read from the table. */
  private def columnsOf(history: Dataset[_], columns: Seq[Attribute]): Dataset[Row] = {
    val plan = SparkSessions.queryOf(history).analyzed
    val resolver = SparkSessions.of(history.sparkSession).sessionState.conf.resolver
    val found = columns.map { column =>
      plan.output.filter(a => resolver(a.name, column.name)) match {
        case Seq(own) if Cast.canUpCast(own.dataType, column.dataType) =>
          Alias(if (own.dataType == column.dataType) own else Cast(own, column.dataType), column.name)()
        case Seq(own) =>
          refuse(
            "history",
            own.dataType.sql,
            s"is the type of the column ${column.name}",
            s"Allowed: ${column.dataType.sql}"
          )
        case _ =>
          refuse(
            "history",
            plan.output.map(_.name).mkString(", "),
            s"has no column ${column.name}",
            s"Allowed: the columns of the stream's source, which are ${columns.map(_.name).mkString(", ")}"
          )
      }
    }
    LogicalData.of(history.sparkSession, Project(found, plan))
  }

  /** The query over another stream, whose columns replace the columns of the source. */
  private def replaced(query: Dataset[_], source: LogicalPlan, rows: LogicalPlan): LogicalPlan =
    SparkSessions.queryOf(query).analyzed.transformUp {
      case leaf if leaf eq source =>
        Project(
          leaf.output.zip(rows.output).map { case (own, column) =>
            Alias(column, own.name)(own.exprId, own.qualifier, Some(own.metadata))
          },
          rows
        )
    }

  /** The rows in a session that writes times to files without rebasing and rounding. */
  private def exactly(rows: Dataset[Row]): Dataset[Row] = {
    val session = rows.sparkSession.newSession()
    rows.sparkSession.conf.getAll.foreach { case (key, value) =>
      if (session.conf.isModifiable(key)) session.conf.set(key, value)
    }
    Exactly.foreach { case (key, value) => session.conf.set(key, value) }
    LogicalData.of(session, SparkSessions.queryOf(rows).analyzed)
  }

  private val Exactly = Map(
    "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite" -> "CORRECTED"
  )

  /** The log of Spark's file sink. */
  private val SinkLog = "_spark_metadata"

  /** The entry of a batch, changed so that the source has no offset yet. */
  private def withoutOffsets(entry: LogEntry): LogEntry = entry.version match {
    case "v1"  => entry.copy(rest = "\n-")
    case other =>
      throw new IllegalStateException(s"Spark logs offsets in format $other, which cannot be without them")
  }

  private def refuseFiles(argument: String, folder: CheckpointFolder): Nothing =
    refuse(argument, folder.path.toString, "exists and is not empty", "Allowed: a path that does not exist")

  private def refuse(argument: String, value: String, problem: String, allowed: String): Nothing =
    throw new InvalidCheckpoint(argument, value, problem, allowed)
}
