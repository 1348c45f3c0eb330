package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Paths}

import scala.concurrent.duration.{Duration, DurationInt}
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

  private val one = new OneOf(cases.size)

  for (((objects, query, sql, store, settings), number) <- cases.zipWithIndex) {
    val place = if (objects) "an object store" else "a disk"
    test(one(s"$query with state in $store on $place goes on after each write")) {
      val random = new Random(s"$query $store $place".hashCode)
      check(new Runs(sql, settings ++ purging, objects, random), random, number)
    }
  }

  private def check(runs: Runs, random: Random, number: Int): Unit = {
    val whole = runs.uninterrupted
    assert(whole.failed.isEmpty && whole.rows.size > 10, whole)
    for (change <- toTry(whole.changes, random, number)) {
      val first = runs.killedAt(change)
      assertEquals(first.changes.size, change, s"of ${whole.changes.size} changes")
      val at = s"killed before ${first.changes.last}"
      assert(first.failed.exists(_.contains(FaultyFileSystem.Message)), s"$at: ${first.failed}")
      val restarted = runs.restarted(first)
      assertEquals(restarted.failed, None, at)
      assertEquals(runs.together(first, restarted), whole.rows, at)
    }
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
