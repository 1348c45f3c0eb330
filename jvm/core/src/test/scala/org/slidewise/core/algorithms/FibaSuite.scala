package org.slidewise.core.algorithms

import java.util.NoSuchElementException
import munit.FunSuite
import org.slidewise.core._
import org.slidewise.core.windows._
import org.slidewise.core.operators.{Concatenation, LongSum}
import scala.util.Random

class FibaSuite extends FunSuite {

  private def outOfOrder(distance: Int, seed: Long): Unit = {
    val random = new Random(seed)
    val operator = ObjectAggregator.of(new Concatenation[Int])
    val window = WindowAlgorithm.fiba.timedWindow(operator)
    var oracle = Vector.empty[(Long, Int)]
    (0 until 1500).foreach { i =>
      if (oracle.isEmpty || random.nextInt(100) < (if ((i / 300) % 2 == 0) 65 else 35)) {
        val time = math.max(0L, i.toLong - random.nextInt(distance))
        window.insert(time, i)
        val (before, after) = oracle.span(_._1 <= time)
        oracle = (before :+ (time -> i)) ++ after
      } else if (random.nextInt(20) == 0) {
        val time = oracle.head._1 + random.nextInt(4)
        window.evictBefore(time)
        oracle = oracle.dropWhile(_._1 < time)
      } else {
        window.evict()
        oracle = oracle.tail
      }
      FibaInvariants.check(window.algorithm.asInstanceOf[Fiba[Array[AnyRef]]], oracle.map(_._2), s"step $i")
      assertEquals(window.query(), oracle.map(_._2))
      assertEquals(window.size, oracle.size)
      oracle.headOption.foreach(o => assertEquals(window.oldestTime, o._1))
      oracle.lastOption.foreach(o => assertEquals(window.newestTime, o._1))
    }
  }

  Seq(1, 5, 100, 2000).foreach { distance =>
    test(s"elements up to $distance late are put in their place, of equal times in order of arrival") {
      outOfOrder(distance, seed = distance.toLong)
    }
  }

  test("an element without a time has the newest") {
    val window = WindowAlgorithm.fiba.timedWindow(new Concatenation[String])
    window.insert(5L, "b")
    window.insert("c")
    window.insert(4L, "a")
    assertEquals((window.query(), window.oldestTime, window.newestTime), (Vector("a", "b", "c"), 4L, 5L))
  }

  test("an empty window has no times, and says what to do") {
    val window = WindowAlgorithm.fiba.timedWindow(new Concatenation[String])
    assert(
      intercept[NoSuchElementException](window.oldestTime).getMessage.contains("check that size is above 0")
    )
    assert(
      intercept[NoSuchElementException](window.newestTime).getMessage.contains("check that size is above 0")
    )
  }

  test("in order, insert and evict take a constant number of combines on average, whatever the size") {
    val taken = Seq(10, 100, 10000).map { n =>
      val counting = new Counting[Array[Long], Long, Long](LongSum)
      val window = WindowAlgorithm.fiba.window(counting)
      (0 until n).foreach(i => window.insert(i.toLong))
      val rounds = 50000
      counting.combinesOf((0 until rounds).foreach { i =>
        window.evict()
        window.insert(i.toLong)
      }) / rounds.toDouble
    }
    assert(taken.forall(_ <= 15.0), taken.toString)
  }

  test("one operation takes a number of combines that grows with the logarithm of the size at most") {
    val counting = new Counting[Array[Long], Long, Long](LongSum)
    val window = WindowAlgorithm.fiba.window(counting)
    val worst = (0 until 100000).map(i => counting.combinesOf(window.insert(i.toLong))).max max
      (0 until 100000).map(_ => counting.combinesOf(window.evict())).max
    // log4 of 100000 levels, on each at most: two spine nodes, and two nodes that were split or filled up.
    assert(worst <= 9 * 4 * 16, worst.toString)
  }
}
