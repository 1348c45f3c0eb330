package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path}

import scala.concurrent.duration.{Duration, DurationInt}
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.{DataFrame, Row}

import org.slidewise.OneOf

/** Batches that run again: after a user has removed them from the logs, and tasks that run a second time. */
class RepeatedBatchesSuite extends RunsOfStreams {
  import RunsOfStreams._

  override val munitTimeout: Duration = 20.minutes

  private val one = new OneOf(8)

  for (
    (query, sql) <- Queries; (store, settings) <- Stores;
    logs <- Seq(Seq("commits"), Seq("commits", "offsets"))
  )
    test(
      one(s"$query with state in $store goes back to an earlier batch without its ${logs.mkString(" and ")}")
    ) {
      val runs = new Runs(sql, settings, objects = false, new Random(7))
      val whole = runs.uninterrupted
      assertEquals(whole.failed, None)
      val numbers = whole.batches.keys.toSeq.sorted
      // Spark repeats one batch that has offsets and no commit.
      val from = if (logs.size == 1) numbers.last else numbers(numbers.size / 2)
      logs.foreach(log => removeFrom(whole.folder.resolve(log), from))
      val again = runs.restarted(whole)
      assertEquals(again.failed, None)
      assertEquals(again.batches.keys.min, from)
      val kept = whole.batches.filter(_._1 < from)
      assertEquals(whole.copy(batches = kept ++ again.batches).rows, whole.rows)
      if (logs.size == 2) assert(again.rows.nonEmpty)
    }

  private def removeFrom(log: Path, batch: Long): Unit = {
    val files = Files.list(log)
    try
      files.iterator.asScala
        .filter(file => Files.isRegularFile(file))
        .filter(_.getFileName.toString.filter(_.isDigit).toLongOption.exists(_ >= batch))
        .foreach(Files.delete)
    finally files.close()
  }

  private val another = new OneOf(8)

  for ((query, sql) <- Queries; (store, settings) <- Stores)
    test(another(s"$query with state in $store: tasks that run twice, one after the other, change nothing")) {
      def twice(batch: DataFrame): Array[Row] = {
        val first = batch.collect()
        val second = batch.collect()
        assertEquals(second.map(_.toString).sorted.toSeq, first.map(_.toString).sorted.toSeq)
        second
      }
      val once = new Runs(sql, settings, objects = false, new Random(3)).uninterrupted
      val repeated = new Runs(sql, settings, objects = false, new Random(3), twice).uninterrupted
      assertEquals(repeated.failed, None)
      assertEquals(repeated.batches, once.batches)
      assert(once.rows.nonEmpty)
    }
}
