package org.slidewise.spark.execution.streams.checkpoints

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.{Dataset, SparkSession}

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.shims.SparkSessions

/** The entry points of `slidewise checkpoint` and `slidewise.streaming.backfill`. Each returns a JSON object. */
object CheckpointCommands {

  /**
   * Reads the state of the last committed batch wholly, and reports on it.
   *
   * @return
   *   the fields of the checkpoint, `operators` with their figures, and `problems`
   */
  def inspect(session: SparkSession, path: String): String = {
    val folder = folderOf(session, "path", path)
    val report = LogEntry.emptyObject.put("path", folder.path.toString)
    val problems = report.putArray("problems")
    val query =
      try Some(StoppedQuery.in(folder))
      catch { case e: CorruptState => problems.add(e.what); None }
    query.foreach { found =>
      try put(report, found)
      catch { case e: CorruptState => problems.add(e.what) }
      val operators = report.putArray("operators")
      folder.operators.foreach { id =>
        val node = operators.addObject().put("id", id)
        try put(session, node, found, id)
        catch {
          case e @ (_: InvalidCheckpoint | NonFatal(_)) => problems.add(s"operator $id: ${messageOf(e)}")
        }
      }
    }
    report.toString
  }

  private def put(report: ObjectNode, query: StoppedQuery): Unit = {
    report
      .put("query", query.id)
      .put("batch", query.batch)
      .put("planned", query.planned.isDefined)
      .put("watermark", query.watermark)
      .put("format", if (query.hasStoreIds) 2 else 1)
      .put("offsets", query.offsets.version)
      .put("partitions", query.shufflePartitions)
      .put("store", StateStores.nameOf(query.provider).getOrElse(query.provider))
    ()
  }

  private def put(session: SparkSession, node: ObjectNode, query: StoppedQuery, id: Long): Unit = {
    node.put("name", query.operators.nameOf(id))
    val operator = query.operators.of(id)
    operator.description.foreach { found =>
      val sql = node.putArray("sql")
      found.sql.foreach(sql.add(_))
      node.put("versions", found.versions).put("spark", found.writtenBy)
    }
    val partitions = operator.form.partitions(query.shufflePartitions)
    val report = StateJobs
      .inspect(session, operator.form, query.stores(session, operator), query.version(id), partitions)
    node
      .put("partitions", partitions)
      .put("keys", report.keys)
      .put("entries", report.entries)
      .put("bytes", report.bytes)
      .put("waitingRows", report.waitingRows)
    if (report.oldest != Long.MaxValue) node.put("oldest", report.oldest)
    val problems = node.putArray("problems")
    report.problems.foreach(problems.add(_))
    if (report.further > 0) problems.add(s"and ${report.further} more")
    ()
  }

  /**
   * Writes the checkpoint in `path` to `newPath`.
   *
   * @param partitions
   *   the new number of shuffle partitions, or an empty text
   * @param store
   *   `rocksdb`, `hdfs` or an empty text
   * @return
   *   `path`, `batch`, `partitions`, `store`, and `operators` with the number of entries of each
   */
  def rescale(
      session: SparkSession,
      path: String,
      newPath: String,
      partitions: String,
      store: String
  ): String = {
    val query = StoppedQuery.in(folderOf(session, "path", path))
    val to = folderOf(session, "new_path", newPath)
    val number = Option(partitions).filter(_.nonEmpty).map { text =>
      text.toIntOption.getOrElse(
        throw new InvalidCheckpoint("--partitions", text, "is no number", "Allowed: a number from 1")
      )
    }
    val rescale = Rescale.of(session, query, to, number, Option(store).filter(_.nonEmpty))
    val moved = rescale.run()
    val report = LogEntry.emptyObject.put("path", to.path.toString).put("batch", query.batch)
    val operators = report.putArray("operators")
    moved.foreach { case (operator, entries) =>
      operators.addObject().put("id", operator.id).put("name", operator.name).put("entries", entries)
    }
    report.toString
  }

  /**
   * Writes the first checkpoint of a streaming query, with the state that it has after the rows of a table.
   *
   * @param history
   *   a table with the columns of the query's source
   * @param fileSink
   *   the folder of the query's file sink, or an empty text
   * @return
   *   `path`, `batch` and `watermark` in milliseconds
   */
  def backfill(
      query: Dataset[_],
      history: Dataset[_],
      path: String,
      mode: String,
      fileSink: String
  ): String = {
    val to = folderOf(query.sparkSession, "path", path)
    val sink = Some(fileSink).filter(_.nonEmpty).map(folderOf(query.sparkSession, "file_sink", _))
    val done = Backfill.of(query, history, mode, to, sink).run()
    LogEntry.emptyObject
      .put("path", to.path.toString)
      .put("batch", done.batch)
      .put("watermark", done.watermark)
      .toString
  }

  private def folderOf(session: SparkSession, argument: String, path: String): CheckpointFolder = {
    if (path.trim.isEmpty) throw new InvalidCheckpoint(argument, "''", "is empty", "Allowed: a path")
    new CheckpointFolder(new Path(path), SparkSessions.of(session).sessionState.newHadoopConf())
  }

  private def messageOf(e: Throwable): String = e match {
    case corrupt: CorruptState => corrupt.what
    case other                 => Option(other.getMessage).getOrElse(other.toString)
  }
}
