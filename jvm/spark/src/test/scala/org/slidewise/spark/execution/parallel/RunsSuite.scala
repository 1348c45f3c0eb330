package org.slidewise.spark.execution.parallel

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

import org.slidewise.Unhurried
import org.slidewise.spark.execution.blocks.{BlockEncoder, BlockLayout, BlockRows, StagedRows}

class RunsSuite extends Unhurried {
  private val input = Seq(AttributeReference("a", LongType)(), AttributeReference("b", LongType)())
  private val spec = input.map(SortOrder(_, Ascending))
  private val order = new CutOrder(RunOrder(Nil, spec).directions)
  private val layout = BlockLayout.of(input)
  private def key = UnsafeProjection.create(input.map(a => a: Expression), input)

  /** Runs of rows, with buckets at random places in which the rows are in any order, and all of their rows in order. */
  private class RandomRuns(random: Random, count: Int, longest: Int, values: Int) {
    private val inOrder: Array[Array[UnsafeRow]] = Array.fill(count) {
      Array
        .fill(random.nextInt(longest + 1))((random.nextInt(values).toLong, random.nextInt(3).toLong))
        .sorted
        .map { case (a, b) => key(InternalRow(a, b)).copy() }
    }
    val starts: Array[Array[Int]] =
      inOrder.map(run => run.indices.filter(i => i == 0 || random.nextInt(4) == 0).toArray)
    val rows: Array[Array[UnsafeRow]] = inOrder.zip(starts).map { case (run, begins) =>
      (begins :+ run.length)
        .sliding(2)
        .filter(_.length == 2)
        .flatMap(b => random.shuffle(run.slice(b(0), b(1)).toSeq))
        .toArray
    }
    private val indexes = inOrder.zip(starts).map { case (run, begins) =>
      val index = new RunIndex.Builder(2)
      begins.foreach(i => index.add(i.toLong, run(i)))
      index.result(run.length.toLong, aggregates = None)
    }
    val sorted = new Runs(indexes, order)

    val all: Array[(UnsafeRow, Long)] =
      (for (run <- rows.indices; i <- rows(run).indices)
        yield (rows(run)(i), Cut.place(run, i.toLong))).sortBy { case (row, place) =>
        (row.getLong(0), row.getLong(1), place)
      }.toArray

    def before(cut: Cut): Int = all.count { case (row, place) => order.isBefore(row, place, cut) }

    def randomCut(): Cut = random.nextInt(8) match {
      case 0 => Cut.Start
      case 1 => Cut.End
      case _ =>
        val (row, place) =
          if (all.isEmpty) (key(InternalRow(0L, 0L)).copy(), 0L) else all(random.nextInt(all.length))
        val columns = random.nextInt(3)
        random.nextInt(3) match {
          case 0 => Cut.before(row, columns)
          case 1 => Cut.after(row, columns)
          case _ => Cut(row, 2, place)
        }
    }

    /** @param lost how many rows at the end of the runs a task that ran again did not write */
    def read(cuts: Array[Cut], lost: Int = 0): RangeRows = {
      val range = RangeToRead.of(sorted, cuts)
      def blocks(part: Int) = {
        val run = range.parts(part).run
        def start(bucket: Int) = if (bucket < starts(run).length) starts(run)(bucket) else rows(run).length
        // The shuffle returns the buckets that are read at once in any order.
        range.reads(part).iterator.flatMap { case (first, end) =>
          random
            .shuffle((first until end).toVector)
            .flatMap(b => inBlocks(rows(run).dropRight(lost).slice(start(b), start(b + 1)).toSeq))
        }
      }
      val parts = new RowsOfParts(range.parts.length, blocks(_), new BlockRows(_, layout))
      new RangeRows(range, parts, key, order)
    }

    /** The rows of a bucket, in blocks of several rows or of one. */
    private def inBlocks(bucket: Seq[UnsafeRow]): Seq[InternalRow] =
      bucket.grouped(1 + random.nextInt(4)).toSeq.map { some =>
        val staged = new StagedRows(layout)
        staged.resize(some.size, 0)
        some.foreach(staged.add)
        val encoder = new BlockEncoder(layout, hashed = false)
        val block = new UnsafeRow(0)
        val size = encoder.encode(staged)
        block.pointTo(encoder.bytes, size)
        block.copy()
      }
  }

  private def each(times: Int)(check: (Random, RandomRuns) => Unit): Unit =
    for (seed <- 0 until times) {
      val random = new Random(seed)
      val runs = new RandomRuns(random, 1 + random.nextInt(5), random.nextInt(60), 1 + random.nextInt(30))
      try check(random, runs)
      catch { case e: Throwable => throw new AssertionError(s"seed $seed", e) }
    }

  test("cuts are in the order of the rows before them") {
    each(200) { (_, runs) =>
      val (a, b) = (runs.randomCut(), runs.randomCut())
      if (order.compare(a, b) <= 0) assert(runs.before(a) <= runs.before(b))
      else assert(runs.before(a) >= runs.before(b))
      assertEquals(order.compare(a, b), -order.compare(b, a))
    }
  }

  test("a range is read between its cuts, each row in its interval, and the rows before it are counted") {
    each(500) { (random, runs) =>
      val cuts = Array.fill(2 + random.nextInt(4))(runs.randomCut()).sortWith(order.compare(_, _) < 0)
      val range = runs.read(cuts)
      val found = Seq.newBuilder[(Int, (Long, Long))]
      def add(row: InternalRow): Unit = found += ((range.currentInterval, (row.getLong(0), row.getLong(1))))
      while (range.hasNext)
        if (range.isBlockNext && random.nextInt(4) > 0) {
          val block = range.nextBlock()
          if (random.nextInt(4) == 0) range.giveBack()
          else (0 until block.count).foreach(i => add(range.rowAt(i)))
        } else add(range.next())
      val rows = found.result()
      val places = cuts.map(runs.before)
      for (interval <- 1 until cuts.length) {
        val expected =
          runs.all.slice(places(interval - 1), places(interval)).map(r => (r._1.getLong(0), r._1.getLong(1)))
        assertEquals(rows.filter(_._1 == interval).map(_._2).sorted, expected.toSeq)
        assertEquals(range.rowsIn(interval), expected.length.toLong)
      }
      assertEquals(rows.size, places.last - places.head)
      assertEquals(range.rowsBefore, places.head.toLong)
    }
  }

  test("a halo holds at least the rows that it must, and few more") {
    each(500) { (random, runs) =>
      val cut = runs.randomCut()
      val distance = random.nextInt(40).toLong
      val place = runs.before(cut)
      val before = place - runs.before(runs.sorted.rowsBefore(cut, distance))
      assert(before >= math.min(distance, place.toLong), s"$before of $distance")
      val after = runs.before(runs.sorted.rowsAfter(cut, distance)) - place
      assert(after >= math.min(distance, runs.all.length - place.toLong), s"$after of $distance")
      val widest = runs.rows.zip(runs.starts).map { case (run, begins) =>
        (begins :+ run.length).sliding(2).map(b => b.last - b.head).max.max(0)
      }
      val slack = 3L * (widest.sum + widest.length)
      assert(before <= distance + slack && after <= distance + slack, s"$before, $after: $distance + $slack")
    }
  }

  test("cuts divide the rows evenly, and leave those together that must be") {
    val random = new Random(1)
    val runs = new RandomRuns(random, 4, 2000, 100000)
    val cuts = runs.sorted.cuts(8, None)
    val places = 0 +: cuts.map(runs.before) :+ runs.all.length
    assertEquals(cuts.size, 7)
    assert(places.sliding(2).forall(p => p(1) - p(0) < runs.all.length / 8 * 1.1), places)
    each(200) { (_, tied) =>
      val together = tied.sorted.cuts(5, Some(1))
      together.foreach { cut =>
        val place = tied.before(cut)
        assert(
          place == 0 || place == tied.all.length || tied.all(place - 1)._1.getLong(0) < tied
            .all(place)
            ._1
            .getLong(0)
        )
      }
      assert(together.sliding(2).forall(c => c.size < 2 || order.compare(c(0), c(1)) < 0))
    }
  }

  test("a run that was written again with fewer rows is refused") {
    val runs = new RandomRuns(new Random(7), count = 3, longest = 40, values = 10)
    val all = Array(Cut.Start, Cut.End)
    assertEquals(runs.read(all).size, runs.all.length)
    val refused = intercept[RunChanged](runs.read(all, lost = 1).size)
    assert(refused.getMessage.contains("rows where it had"), refused.getMessage)
  }
}
