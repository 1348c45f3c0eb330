package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Dataset, Row}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.StreamingQuery

import org.slidewise.spark.execution.streams.hopping.HoppingWindowStateExec
import org.slidewise.spark.shims.SparkStreaming.StreamingQueryWrapper

/** A suite whose queries run several times from one checkpoint, each time as another process would. */
abstract private[streams] class RunsOfStreams extends StreamSuite {
  import RunsOfStreams._

  /** The plan of the last batch. */
  private def planOf(query: StreamingQuery): Option[SparkPlan] =
    Option(query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution).map(_.executedPlan)

  private def hasOperator(plan: SparkPlan): Boolean = plan.exists {
    case _: StreamingSlidingWindowExec | _: HoppingWindowStateExec => true
    case _                                                         => false
  }

  /**
   * Events out of order by less than the watermark's delay, no two at the same time, and two batches that let all others out: without
   * data, a query that is started again does not run the batch that only moves the watermark.
   */
  private def batches(random: Random): Seq[Seq[Event]] = {
    val seconds = (0 until 24).sortBy(_ + 4 * random.nextDouble()).map(100 + 2 * _)
    val rows = seconds.map(second => (if (random.nextBoolean()) "a" else "b", second, random.nextInt(100)))
    rows.grouped(8).toSeq ++ Seq(1000, 2000).map(end => Seq((End, end, 1)))
  }

  /**
   * Runs of one query over the same batches of rows.
   *
   * @param objects
   *   whether the checkpoint is in an object store
   * @param collect
   *   what the sink does with a batch
   */
  protected class Runs(
      sql: String,
      settings: Seq[(String, Any)],
      objects: Boolean,
      random: Random,
      collect: DataFrame => Array[Row] = _.collect()
  ) {
    private val arriving = batches(random)

    lazy val uninterrupted: Run = run(temporary(), Int.MaxValue, 1)

    /** A run in which the process is killed at a change below the checkpoint. */
    def killedAt(change: Int): Run = run(temporary(), change, 1)

    /** Another process goes on with a copy of the checkpoint. */
    def restarted(first: Run): Run = {
      val folder = temporary()
      copy(first.folder, folder)
      run(folder, Int.MaxValue, first.arrived)
    }

    /** The rows of each batch, which a sink keeps once. A batch that ran twice has the same rows. */
    def together(first: Run, second: Run): Seq[String] = {
      for ((number, rows) <- second.batches; before <- first.batches.get(number))
        assertEquals(rows, before, s"batch $number")
      first.copy(batches = first.batches ++ second.batches).rows
    }

    private def run(folder: Path, last: Int, before: Int): Run = withSettings(Always ++ settings: _*) {
      val writes = FaultyFileSystem.watch(folder, objects, last)
      val source = events()
      var arrived = before
      arriving.take(before).foreach(rows => source.addData(rows))
      val written = mutable.Map.empty[Long, Seq[String]]
      def receive(batch: Dataset[Row], number: Long): Unit =
        written(number) = collect(batch).map(_.toString).toSeq.sorted
      stream(source).createOrReplaceTempView("events")
      val exceptions =
        try {
          val query = spark
            .sql(sql)
            .writeStream
            .foreachBatch(receive _)
            .option("checkpointLocation", s"${FaultyFileSystem.Scheme}:$folder")
            .start()
          try {
            query.processAllAvailable()
            for (rows <- arriving.drop(before)) {
              source.addData(rows)
              arrived += 1
              query.processAllAvailable()
            }
          } finally query.stop()
          planOf(query).foreach(plan => assertEquals(hasOperator(plan), !settings.contains(SparkAlone)))
          Nil
        } catch {
          case e: Exception => Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toList
        }
      Run(folder, written.toMap, writes.changes, exceptions, arrived)
    }
  }
}

private[streams] object RunsOfStreams {
  val Queries: Seq[(String, String)] = Seq(
    "a window" ->
      """SELECT *, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS 2 PRECEDING) AS s,
        |       max(n) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 9 SECONDS PRECEDING AND INTERVAL 4 SECONDS
        |         FOLLOWING) AS m
        |FROM events""".stripMargin,
    "hopping windows" ->
      "SELECT k, window, sum(n) AS s, count(*) AS c FROM events GROUP BY k, window(ts, '20 seconds', '5 seconds')"
  )

  private val Uuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"

  /** The key of the last events. */
  private val End = "end"

  /** A setting with which Spark's own operators evaluate hopping windows. */
  val SparkAlone: (String, Any) = "spark.slidewise.enabled" -> false

  private val State = "spark.sql.streaming.stateStore"
  private def provider(name: String) =
    s"$State.providerClass" -> s"org.apache.spark.sql.execution.streaming.state.$name"
  private val RocksDb = provider("RocksDBStateStoreProvider")
  private def changelog(isOn: Boolean) = s"$State.rocksdb.changelogCheckpointing.enabled" -> isOn

  val Stores: Seq[(String, Seq[(String, Any)])] = Seq(
    "files" -> Seq(provider("HDFSBackedStateStoreProvider")),
    "RocksDB" -> Seq(RocksDb, changelog(true)),
    "RocksDB without a changelog" -> Seq(RocksDb, changelog(false)),
    "RocksDB in format 2" -> Seq(RocksDb, changelog(true), s"$State.checkpointFormatVersion" -> 2)
  )

  private val Always: Seq[(String, Any)] = Seq(
    s"fs.${FaultyFileSystem.Scheme}.impl" -> classOf[FaultyFileSystem].getName,
    "spark.sql.shuffle.partitions" -> 2
  )

  /**
   * What a process has done.
   *
   * @param batches
   *   the rows that each batch handed on
   * @param changes
   *   below the checkpoint
   * @param exceptions
   *   the one with which it ended, and its causes
   * @param arrived
   *   how many batches of rows its source had
   */
  final case class Run(
      folder: Path,
      batches: Map[Long, Seq[String]],
      changes: Seq[String],
      exceptions: Seq[Throwable],
      arrived: Int
  ) {
    def failed: Option[String] = exceptions.headOption.map(_ => exceptions.mkString("\n"))

    /** Spark's names of the exceptions. */
    def conditions: Seq[String] = exceptions.collect { case e: SparkThrowable => e.getCondition }

    /** The changes by paths that are the same in each run: below the checkpoint, and without random names. */
    def places: Seq[String] =
      changes.map(_.replace(folder.toString + "/", "").replaceAll(Uuid, "*"))

    /** All but those of the last events. */
    def rows: Seq[String] = batches.values.flatten.filterNot(_.contains(End)).toSeq.sorted
  }

  private def copy(from: Path, to: Path): Unit = {
    val files = Files.walk(from)
    try
      files.iterator.asScala
        .filter(_ != from)
        .foreach(file => Files.copy(file, to.resolve(from.relativize(file).toString)))
    finally files.close()
  }
}
