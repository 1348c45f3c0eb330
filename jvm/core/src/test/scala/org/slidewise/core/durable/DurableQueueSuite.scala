package org.slidewise.core.durable

import scala.collection.mutable
import scala.util.Random

import munit.FunSuite
import org.slidewise.core.state.CachedStates

class DurableQueueSuite extends FunSuite {
  import SegmentedFramesSuite._

  private val counting = new Concatenations(0)

  test(
    "a queue answers as a list does, closed and opened at random, with at most the combines of DABA Lite"
  ) {
    run(identity)
  }

  // The positions of the paper: once l, r and a have met, each operation advances them. Old checkpoints have such queues.
  test("a queue goes on where l, r and a were moved on after nothing was left to reverse") {
    var rewritten = 0
    run { positions =>
      val Seq(front, l, r, _, b, end, turn) = positions.toSeq: @unchecked
      val surplus = (b - front) - (end - b)
      if (l != r || front == end) positions
      else {
        rewritten += 1
        val met = b - surplus + 1
        Array(front, met, met, met, b, end, turn)
      }
    }
    assert(rewritten > 500, rewritten)
  }

  test("a queue with the smallest cache answers alike, and holds no more states than that") {
    run(identity, maxCached = CachedStates.MinCached, closes = 200)
  }

  test("the states in memory are limited however many elements enter between two calls of close") {
    val cells = new Cells
    val queue = new DurableQueue(counting, cells)
    for (i <- 0 until 5000) {
      queue.insert("x")
      if (i >= 3000) queue.evict()
      assert(queue.cached <= DurableQueue.DefaultMaxCached)
    }
    assertEquals(queue.query().length, 3000)
    queue.clear()
    assertEquals(cells.cells.size, 0)
    assertEquals(queue.cached, 0)
  }

  test("a cache that is too small for one operation is refused") {
    val e = intercept[IllegalArgumentException](new DurableQueue(counting, new Cells, 15))
    assertEquals(e.getMessage, "maxCached is 15: it must be 16 or more")
  }

  private def run(
      written: Array[Int] => Array[Int],
      maxCached: Int = DurableQueue.DefaultMaxCached,
      closes: Int = 4
  ): Unit =
    for (seed <- 1 to 20) {
      val random = new Random(seed)
      val cells = new Cells
      var queue = new DurableQueue(counting, cells, maxCached)
      val oracle = mutable.Queue.empty[String]
      for (step <- 0 until 2000) {
        val grows = (step / 300) % 2 == 0
        if (oracle.isEmpty || random.nextInt(10) < (if (grows) 6 else 4)) {
          assert(combinesOf(queue.insert(s"$step,")) <= 3)
          oracle.enqueue(s"$step,")
        } else {
          assert(combinesOf(queue.evict()) <= 2)
          oracle.dequeue()
        }
        if (random.nextInt(closes) == 0) {
          val positions = written(queue.close())
          queue = new DurableQueue(counting, cells, maxCached)
          queue.open(positions)
        }
        assert(queue.cached <= maxCached)
        assertEquals(queue.size, oracle.size)
        assertEquals(queue.query(), oracle.mkString)
      }
    }

  private def combinesOf(body: => Unit): Long = {
    val before = counting.combines
    body
    counting.combines - before
  }
}
