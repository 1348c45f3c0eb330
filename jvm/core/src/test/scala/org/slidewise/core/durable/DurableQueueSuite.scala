package org.slidewise.core.durable

import scala.collection.mutable
import scala.util.Random

import munit.FunSuite

class DurableQueueSuite extends FunSuite {
  import SegmentedFramesSuite._

  private val counting = new Concatenations(0)

  test(
    "a queue answers as a list does, closed and opened at random, with at most the combines of DABA Lite"
  ) {
    run(identity)
  }

  // As the paper has it: once l, r and a have met, each operation moves them on. Queues that were stored so are to be found.
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

  private def run(written: Array[Int] => Array[Int]): Unit =
    for (seed <- 1 to 20) {
      val random = new Random(seed)
      val cells = new Cells
      var queue = new DurableQueue(counting, cells)
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
        if (random.nextInt(4) == 0) {
          val positions = written(queue.close())
          queue = new DurableQueue(counting, cells)
          queue.open(positions)
        }
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
