package org.slidewise.spark.execution.frames

import org.apache.spark.memory.MemoryMode

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.Tasks

/** Frames that move over rows, evaluated from their distinct values, compared with the frames' rows. */
class MultisetEvaluatorSuite extends SparkSuite {
  import MultisetFrames._

  // Rows lie off-heap, so that a test can say how much memory is left for multisets.
  override protected def settings: Map[String, String] = Map(
    "spark.local.dir" -> java.nio.file.Files.createTempDirectory("slidewise").toString,
    "spark.memory.offHeap.enabled" -> "true",
    "spark.memory.offHeap.size" -> (64L << 20).toString,
    "spark.testing.memory" -> (64L << 20).toString,
    "spark.testing.reservedMemory" -> "0"
  )

  private val moving = (0 until 200).map(i => (math.max(0, i - 9), i + 1))

  private val shapes = Seq[(String, Seq[(Int, Int)])](
    "move" -> moving,
    "look ahead" -> (0 until 200).map(i => (i, math.min(200, i + 7))),
    "jump over rows" -> (0 until 20).map(i => (i * 10, i * 10 + 3)),
    "jump to rows that they hold" -> (0 until 20).map(i => (i * 9, i * 9 + 20)),
    "are empty" -> (0 until 200).map(i => (i, i)),
    "are empty at times" -> (0 until 90).map { i =>
      val begin = i / 3 * 6
      (if (i % 3 == 2) begin + 6 else begin, if (i % 3 == 0) begin else begin + 6)
    },
    "begin before the rows" -> (Seq.fill(5)((0, 0)) ++ moving),
    "grow" -> (1 to 200).map(i => (0, i)),
    "shrink" -> (0 to 200).map(i => (i, 200)),
    "are the whole partition" -> Seq.fill(9)((0, 200))
  ) ++ Seq.tabulate(20)(seed => s"move and jump at random ($seed)" -> randomFrames(seed))

  for ((what, frames) <- shapes) {
    test(s"frames that $what, from sorted values") {
      val (found, expected, isExternal, left) = inTask { () =>
        val rows = randomRows(200, values = 6, seed = 9)
        withEvaluator(sortsFrom = Some(0L)) { evaluator =>
          val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
          hog.takeAllBut(0L)
          val found = evaluator.answersOf(rows, frames)
          val isExternal = evaluator.isExternal
          hog.close()
          (found, reference(rows, frames), isExternal, evaluator.close())
        }
      }
      assertEquals(found, expected)
      assertEquals(isExternal, frames.exists { case (lo, hi) => lo < hi })
      assertEquals(left, 0L)
    }

    test(s"frames that $what") {
      val (found, expected, recalculated, left) = inTask { () =>
        val rows = randomRows(200, values = 6, seed = 1)
        withEvaluator() { evaluator =>
          (
            evaluator.answersOf(rows, frames),
            reference(rows, frames),
            evaluator.recalculated,
            evaluator.close()
          )
        }
      }
      assertEquals(found.size, frames.size)
      found.zip(expected).zip(frames).foreach { case ((one, other), frame) =>
        assertEquals(one, other, s"frame $frame")
      }
      assertEquals(recalculated, 0L)
      assertEquals(left, 0L)
    }
  }

  test("a partition runs out of memory in the middle of its frames, and sorts the values of the rest") {
    val (found, expected, before, after, next, expectedNext, atEnd) = inTask { () =>
      val rows = randomRows(4000, values = 4000, seed = 5)
      val frames = (1 to 8).map(i => (i * 10, i * 500))
      val few = randomRows(40, values = 6, seed = 6)
      val framesOfFew = few.indices.map(i => (math.max(0, i - 9), i + 1))
      withMemory(left = 1500L << 10, rows, sortsFrom = Some(400L << 10)) { evaluator =>
        val first = evaluator.answers(frames.take(1))
        val before = evaluator.isExternal
        val found = first ++ evaluator.answers(frames.drop(1))
        val after = evaluator.isExternal
        val next = evaluator.answersOf(few, framesOfFew)
        val expected = reference(rows, frames)
        (found, expected, before, after, next, reference(few, framesOfFew), evaluator.isExternal)
      }
    }
    assertEquals(found, expected)
    assertEquals((before, after), (false, true))
    assertEquals(next, expectedNext)
    assertEquals(atEnd, false)
  }

  test(
    "a frame that stays as it was is evaluated once, and one that moves takes a step for each row and function"
  ) {
    val steps = inTask { () =>
      withEvaluator() { evaluator =>
        evaluator.answersOf(randomRows(20, 6, seed = 2), Seq((0, 20), (0, 20), (5, 20), (5, 20)))
        evaluator.combines
      }
    }
    assertEquals(steps, 25L * functions.size)
  }

  test("partitions know nothing of each other") {
    val (found, expected) = inTask { () =>
      val partitions = Seq(3, 1, 40, 7).map(size => randomRows(size, values = 4, seed = size))
      val frames = partitions.map(rows => rows.indices.map(i => (math.max(0, i - 3), i + 1)))
      withEvaluator() { evaluator =>
        val found = partitions.zip(frames).map { case (rows, of) => evaluator.answersOf(rows, of) }
        (found, partitions.zip(frames).map { case (rows, of) => reference(rows, of) })
      }
    }
    assertEquals(found, expected)
  }

  test("without memory for the values of a frame, the partition goes on uncharged, and the next is charged") {
    val (many, expectedMany, few, expectedFew, (uncharged, charged), recalculated) = inTask { () =>
      val rows = randomRows(4000, values = 4000, seed = 3)
      val next = randomRows(200, values = 6, seed = 4)
      val frames = (0 until 4).map(i => (i * 100, 3000 + i * 100))
      val small = next.indices.map(i => (math.max(0, i - 9), i + 1))
      withMemory(left = 700L << 10, rows) { evaluator =>
        val before = evaluator.heapBytes
        val many = evaluator.answers(frames)
        val uncharged = evaluator.heapBytes - before
        val few = evaluator.answersOf(next, small)
        val charged = evaluator.heapBytes - before
        val expected = (reference(rows, frames), reference(next, small))
        (many, expected._1, few, expected._2, (uncharged, charged), evaluator.recalculated)
      }
    }
    assertEquals(many, expectedMany)
    assertEquals(few, expectedFew)
    assertEquals(uncharged, 0L)
    assert(charged > 0L, "the values of the second partition are charged to no one")
    assertEquals(recalculated, 0L)
  }

  test("a partition runs out of memory in the middle of its frames, and goes on uncharged") {
    val (found, expected, charged, uncharged) = inTask { () =>
      val rows = randomRows(4000, values = 4000, seed = 5)
      val frames = (1 to 8).map(i => (0, i * 500))
      withMemory(left = 700L << 10, rows) { evaluator =>
        val before = evaluator.heapBytes
        val few = evaluator.answers(frames.take(1))
        val charged = evaluator.heapBytes - before
        val more = evaluator.answers(frames.drop(1))
        (few ++ more, reference(rows, frames), charged, evaluator.heapBytes - before)
      }
    }
    assertEquals(found, expected)
    assert(charged > 0L, charged)
    assertEquals(uncharged, 0L)
  }

  test("rows of the last frame are needed until they have left, or the frame is another one") {
    val oldest = inTask { () =>
      withEvaluator() { evaluator =>
        evaluator.answersOf(randomRows(200, values = 6, seed = 8), Seq((0, 50), (20, 60)))
        Seq((20, 60), (30, 80), (59, 100), (60, 100), (90, 100)).map(evaluator.oldestNeededAt)
      }
    }
    assertEquals(oldest, Seq(20L, 20L, 20L, 60L, 90L))
  }

  test("memory is charged while values are held, and given back at the end") {
    val (before, during, peak, after) = inTask { () =>
      val rows = randomRows(4000, values = 4000, seed = 6)
      withEvaluator() { evaluator =>
        evaluator.add(rows)
        val before = evaluator.heapBytes
        evaluator.answers(Seq((0, 4000)))
        val during = evaluator.heapBytes
        (before, during, evaluator.peakMemory, evaluator.close())
      }
    }
    // 16 bytes of a row, and at least as many of its value, for each distinct tuple.
    assert(during - before > 1000 * 100, (before, during))
    assert(peak >= during - before, (peak, during))
    assertEquals(after, 0L)
  }

  test("frames of few values need no more memory, however many rows go by") {
    val (early, late) = inTask { () =>
      val rows = randomRows(20000, values = 20000, seed = 7)
      withEvaluator() { evaluator =>
        evaluator.add(rows)
        val frames = rows.indices.map(i => (math.max(0, i - 9), i + 1))
        evaluator.answers(frames.take(100))
        val early = evaluator.heapBytes
        evaluator.answers(frames.drop(100))
        (early, evaluator.heapBytes)
      }
    }
    assertEquals(late, early)
  }

  test("a cancelled task stops") {
    val thrown = inTask { () =>
      withEvaluator() { evaluator =>
        evaluator.add(randomRows(10000, values = 10, seed = 8))
        Tasks.cancel()
        Tasks.thrownBy(evaluator.answers(Seq((0, 10000))))
      }
    }
    assertEquals(thrown, "TaskKilledException")
  }

  test("a task that is cancelled while it sorts values leaves no memory and no files") {
    val (thrown, left, files) = inTask { () =>
      val before = Tasks.temporaryFiles().toSet
      val rows = randomRows(20000, values = 20000, seed = 10)
      val thrown = withMemory(left = 1500L << 10, rows, sortsFrom = Some(400L << 10)) { evaluator =>
        evaluator.beforeRow(15000)(() => Tasks.cancel())
        Tasks.thrownBy(evaluator.answers(Seq((0, 20000))))
      }
      val left = Tasks.resources().memory.getMemoryConsumptionForThisTask
      (thrown, left, Tasks.temporaryFiles().toSet -- before)
    }
    assertEquals(thrown, "TaskKilledException")
    assertEquals(left, 0L)
    assertEquals(files, Set.empty[String])
  }
}
