package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path, Paths}

import scala.concurrent.duration.{Duration, DurationInt}
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.slidewise.{LongRun, OneOf}

/** Queries whose process is killed at a write below their checkpoint, and that then go on from what is there. */
class InterruptedWritesSuite extends RunsOfStreams {
  import RunsOfStreams._

  override val munitTimeout: Duration = 60.minutes

  // Logs lose their first batches within a run, by the thread of the query.
  private val purging =
    Seq("spark.sql.streaming.minBatchesToRetain" -> 2, "spark.sql.streaming.asyncLogPurge.enabled" -> false)

  private val cases = for {
    objects <- Seq(false, true)
    (query, sql) <- Queries
    (store, settings) <- Stores
  } yield (objects, query, sql, store, settings)

  private def placeOf(objects: Boolean) = if (objects) "an object store" else "a disk"

  private val one = new OneOf(cases.size)

  for (((objects, query, sql, store, settings), number) <- cases.zipWithIndex)
    test(one(s"$query with state in $store on ${placeOf(objects)} goes on after each write")) {
      val random = new Random(s"$query $store ${placeOf(objects)}".hashCode)
      val killed = new Killed(sql, settings, objects, random)
      toTry(killed.whole.changes, random, number).foreach(killed.check)
    }

  for ((query, sql) <- Queries; objects <- Seq(false, true))
    test(
      s"$query killed while it writes its first offsets to ${placeOf(objects)} go on as Spark's own"
    ) {
      val killed = new Killed(sql, Stores.head._2, objects, new Random(11))
      val last = killed.whole.places.indexWhere(_.endsWith(" offsets/0")) + 1
      (1 to last).takeRight(LongRun.orLess(last, 1)).foreach(killed.check)
    }

  private class Killed(sql: String, settings: Seq[(String, Any)], objects: Boolean, random: Random) {
    private val runs = new Runs(sql, settings ++ purging, objects, random)
    private lazy val sparks =
      new Runs(Queries(1)._2, settings ++ purging :+ SparkAlone, objects, new Random(1))

    val whole: Run = runs.uninterrupted
    assert(whole.failed.isEmpty && whole.rows.size > 10, whole)

    /** A query that is killed at a change goes on, unless Spark's own does not either before unfinished files are deleted. */
    def check(change: Int): Unit = {
      val first = killedAt(change)
      val at = s"killed before ${first.changes.last}"
      assert(first.failed.exists(_.contains(FaultyFileSystem.Message)), s"$at: ${first.failed}")
      val restarted = runs.restarted(first)
      if (restarted.failed.isEmpty) assertEquals(runs.together(first, restarted), whole.rows, at)
      else {
        assertEquals(restarted.conditions, sparksAfter(first.places.last), s"$at: ${restarted.failed}")
        deleteUnfinished(first.folder.resolve("offsets"))
        val again = runs.restarted(first)
        assertEquals(again.failed, None, at)
        assertEquals(runs.together(first, again), whole.rows, at)
      }
    }

    /** A run may end before it comes to one of the last changes: their number depends on how tasks and uploads take turns. */
    private def killedAt(change: Int): Run = {
      assert(change > 0, s"a run without changes, where another had ${whole.changes.size}")
      val run = runs.killedAt(change)
      assert(run.changes.size <= change, s"${run.changes.size} changes of a run that was killed at $change")
      if (run.changes.size == change) run else killedAt(run.changes.size)
    }

    /** How Spark's own operator fails after it was killed at the same change. */
    private def sparksAfter(place: String): Seq[String] = {
      val change = sparks.uninterrupted.places.indexOf(place) + 1
      assert(change > 0, s"Spark does not $place")
      val first = sparks.killedAt(change)
      assertEquals(first.places.last, place)
      val restarted = sparks.restarted(first)
      assert(restarted.conditions.nonEmpty, s"Spark goes on after it was killed before $place")
      restarted.conditions
    }
  }

  private def deleteUnfinished(folder: Path): Unit = {
    val files = Files.list(folder)
    try files.iterator.asScala.filter(_.toString.endsWith(".tmp")).foreach(Files.delete)
    finally files.close()
  }

  /** The numbers of a change of Slidewise's own and of another one; in a long run also of an eighth of all, another one in each case. */
  private def toTry(changes: Seq[String], random: Random, number: Int): Seq[Int] = {
    val own = changes.indices.filter(changes(_).contains("/slidewise"))
    assert(own.nonEmpty, changes)
    val few = Seq(own(random.nextInt(own.size)), random.nextInt(changes.size))
    val more = changes.indices.filter(i => (i + number) % 8 == 0).take(LongRun.orLess(changes.size, 0))
    (few ++ more).distinct.map(_ + 1)
  }

  test("a checkpoint that has lost a file gives an error or other rows") {
    val runs = new Runs(Queries.head._2, Stores.head._2, objects = false, new Random(1))
    val whole = runs.uninterrupted
    val last = whole.changes.lastIndexWhere(_.contains("/commits/")) - 1
    val lost = Seq("/slidewise/0.json", "/state/0/0/2.delta").map { file =>
      val first = runs.killedAt(last)
      Files.delete(Paths.get(first.folder.toString + file))
      val restarted = runs.restarted(first)
      assert(restarted.failed.nonEmpty || runs.together(first, restarted) != whole.rows, file)
      restarted.failed.getOrElse("")
    }
    assert(lost.head.contains("0.json is missing"), lost)
  }
}
