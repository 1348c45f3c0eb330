package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path, Paths}

import scala.collection.mutable
import scala.concurrent.duration.{Duration, DurationInt}
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.{Dataset, Row}
import org.apache.spark.sql.streaming.StreamingQuery

import org.slidewise.{LongRun, OneOf}
import org.slidewise.spark.execution.streams.hopping.HoppingWindowStateExec
import org.slidewise.spark.shims.SparkStreaming.StreamingQueryWrapper

/** Queries whose process is killed at a write below their checkpoint, and that then go on from what is there. */
class InterruptedWritesSuite extends StreamSuite {
  import InterruptedWritesSuite._

  override val munitTimeout: Duration = 30.minutes

  private val one = new OneOf(Queries.size * Stores.size * 2 / 3)

  for ((query, sql) <- Queries; (store, settings) <- Stores; objects <- Seq(false, true)) {
    val place = if (objects) "an object store" else "a disk"
    test(one(s"$query with state in $store on $place goes on after each write")) {
      check(new Cases(sql, settings, objects, new Random(s"$query $store $place".hashCode)))
    }
  }

  private def check(cases: Cases): Unit = {
    val whole = cases.uninterrupted
    assert(whole.killed.isEmpty && whole.rows.size > 10, whole)
    for (last <- cases.changesToTry(whole.changes)) {
      val first = cases.run(cases.newFolder(), last)
      assertEquals(first.changes.size, last, first.changes.lastOption)
      assert(first.killed.nonEmpty, s"$last of ${whole.changes.size} changes")
      val restarted = cases.restarted(first)
      assertEquals(restarted.killed, None, first.changes.last)
      assertEquals(cases.together(first, restarted), whole.rows, s"killed before ${first.changes.last}")
    }
  }

  test("a checkpoint that has lost a file gives an error or other rows") {
    val cases = new Cases(Queries.head._2, Stores.head._2, objects = false, new Random(1))
    val whole = cases.uninterrupted
    val last = whole.changes.lastIndexWhere(_.contains("/commits/")) - 1
    val lost = Seq("/slidewise/0.json", "/state/0/0/2.delta").map { file =>
      val first = cases.run(cases.newFolder(), last)
      assert(first.killed.nonEmpty)
      Files.delete(Paths.get(first.folder.toString + file))
      val restarted = cases.restarted(first)
      assert(restarted.killed.nonEmpty || cases.together(first, restarted) != whole.rows, file)
      restarted.killed.getOrElse("")
    }
    assert(lost.head.contains("0.json is missing"), lost)
  }

  /** Runs of one query over the same batches. */
  private class Cases(sql: String, chosen: Seq[(String, Any)], objects: Boolean, random: Random) {
    private val arriving = batches(random)

    def newFolder(): Path = temporary()

    lazy val uninterrupted: Run = run(newFolder(), Int.MaxValue)

    /** Some changes, among them one of Slidewise's own files. All in a long run. */
    def changesToTry(changes: Seq[String]): Seq[Int] = {
      val all = 1 to changes.size
      val own = all.filter(i => changes(i - 1).contains("/slidewise"))
      assert(own.nonEmpty, changes)
      if (LongRun.orLess(1, 0) == 1) all else Seq(own(random.nextInt(own.size)), all(random.nextInt(all.size)))
    }

    /** Another process, for which no state is in memory. */
    def restarted(first: Run): Run = {
      val folder = newFolder()
      copy(first.folder, folder)
      run(folder, Int.MaxValue, first.arrived)
    }

    /** The rows of each batch, which a sink keeps once. A batch that ran twice has the same rows. */
    def together(first: Run, second: Run): Seq[String] = {
      for ((number, rows) <- second.batches; before <- first.batches.get(number))
        assertEquals(rows, before, s"batch $number")
      (first.batches ++ second.batches).values.flatten.toSeq.sorted
    }

    def run(folder: Path, last: Int, before: Int = 1): Run = withSettings(Always ++ chosen: _*) {
      val writes = FaultyFileSystem.watch(folder, objects, last)
      val source = events()
      var arrived = before
      arriving.take(before).foreach(rows => source.addData(rows))
      val written = mutable.Map.empty[Long, Seq[String]]
      def receive(batch: Dataset[Row], number: Long): Unit =
        written(number) = batch.collect().map(_.toString).toSeq.sorted
      stream(source).createOrReplaceTempView("events")
      val killed =
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
          assert(hasOperator(query))
          None
        } catch { case e: Exception => Some(e.toString) }
      Run(folder, written.toMap, writes.changes, killed, arrived)
    }
  }

  private def hasOperator(query: StreamingQuery) =
    query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution.executedPlan.exists {
      case _: StreamingSlidingWindowExec | _: HoppingWindowStateExec => true
      case _                                                         => false
    }

  /** Events out of order by less than the watermark's delay, no two at the same time, and a last one that lets all others out. */
  private def batches(random: Random): Seq[Seq[Event]] = {
    val seconds = (0 until 24).sortBy(_ + 4 * random.nextDouble()).map(100 + 2 * _)
    val rows = seconds.map(second => (if (random.nextBoolean()) "a" else "b", second, random.nextInt(100)))
    rows.grouped(8).toSeq :+ Seq(("end", 1000, 1))
  }
}

private object InterruptedWritesSuite {
  val Queries: Seq[(String, String)] = Seq(
    "a window" ->
      """SELECT *, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS 2 PRECEDING) AS s,
        |       max(n) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 9 SECONDS PRECEDING AND INTERVAL 4 SECONDS
        |         FOLLOWING) AS m
        |FROM events""".stripMargin,
    "hopping windows" ->
      "SELECT k, window, sum(n) AS s, count(*) AS c FROM events GROUP BY k, window(ts, '20 seconds', '5 seconds')"
  )

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

  val Always: Seq[(String, Any)] = Seq(
    s"fs.${FaultyFileSystem.Scheme}.impl" -> classOf[FaultyFileSystem].getName,
    "spark.sql.shuffle.partitions" -> 2,
    // Logs lose their first batches within a run, by the thread of the query.
    "spark.sql.streaming.minBatchesToRetain" -> 2,
    "spark.sql.streaming.asyncLogPurge.enabled" -> false
  )

  /**
   * What a process has done.
   *
   * @param batches
   *   the rows that each batch handed on
   * @param killed
   *   the exception with which it ended
   * @param arrived
   *   how many batches of rows its source had
   */
  final case class Run(
      folder: Path,
      batches: Map[Long, Seq[String]],
      changes: Seq[String],
      killed: Option[String],
      arrived: Int
  ) {
    def rows: Seq[String] = batches.values.flatten.toSeq.sorted
  }

  def copy(from: Path, to: Path): Unit = {
    val files = Files.walk(from)
    try
      files.iterator.asScala
        .filter(_ != from)
        .foreach(file => Files.copy(file, to.resolve(from.relativize(file).toString)))
    finally files.close()
  }
}
