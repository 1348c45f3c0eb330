package org.slidewise.spark.execution.streams

import scala.collection.immutable.TreeMap
import scala.util.Random

import munit.FunSuite

class TimerIndexSuite extends FunSuite {

  test(
    "the buckets that come up are those that have been added and not removed, in order, over many batches"
  ) {
    for (seed <- 1 to 20) {
      val random = new Random(seed)
      val cells = new CellsInMemory
      var expected = Set.empty[Long]
      for (_ <- 1 to 30) {
        val index = new TimerIndex(cells)
        for (_ <- 1 to random.nextInt(40)) {
          val bucket = TimerIndex.bucketOf(random.nextLong() >> random.nextInt(64))
          index.add(bucket)
          expected += bucket
        }
        for (bucket <- random.shuffle(expected.toSeq.sorted).take(random.nextInt(20))) {
          index.remove(bucket)
          expected -= bucket
        }
        val from = TimerIndex.bucketOf(random.nextLong() >> random.nextInt(64))
        val until = TimerIndex.bucketOf(random.nextLong() >> random.nextInt(64))
        def bucketsFrom(first: Long): List[Long] = index.next(first, until) match {
          case TimerIndex.None => Nil
          case bucket          => bucket :: bucketsFrom(bucket + 1)
        }
        assertEquals(bucketsFrom(from), expected.filter(b => b >= from && b <= until).toList.sorted)
        index.flush()
      }
      val index = new TimerIndex(cells)
      expected.foreach(index.remove)
      index.flush()
      assertEquals(cells.ofPartition.size, 0)
    }
  }

  test("a batch that changes nothing writes nothing, and near buckets share their nodes") {
    val cells = new CellsInMemory
    for (batch <- 0 until 3) {
      val index = new TimerIndex(cells)
      (0L until 60L).foreach(second => index.add(TimerIndex.bucketOf((1700000000L + second) * 1000000L)))
      index.flush()
      assertEquals(cells.putsOfPartition, TimerIndex.Levels, s"batch $batch")
    }
  }

  test("the oldest time is exact among few, and earlier by less than a range among many") {
    for (seed <- 1 to 10; most <- Seq(OldestTimes.Most, 5000)) {
      val random = new Random(seed)
      var oldest = new OldestTimes
      var expected = TreeMap.empty[Long, Int]
      for (step <- 1 to 3000) {
        if (expected.isEmpty || random.nextInt(10) < (if (step < 1500) 7 else 3)) {
          val time = random.nextInt(most).toLong
          oldest.add(time)
          expected += time -> (expected.getOrElse(time, 0) + 1)
        } else {
          val time = expected.keysIterator.drop(random.nextInt(expected.size)).next()
          oldest.remove(time)
          expected = if (expected(time) == 1) expected - time else expected + (time -> (expected(time) - 1))
        }
        if (expected.isEmpty) assertEquals(oldest.oldest, Long.MaxValue)
        else {
          val off = expected.firstKey - oldest.oldest
          assert(off >= 0 && off <= (if (most > OldestTimes.Most) most / 8 else 0), s"$off in step $step")
        }
        if (step % 500 == 0) {
          val out = new StateWriter
          oldest.writeTo(out)
          oldest = new OldestTimes
          oldest.reopen(java.nio.ByteBuffer.wrap(out.result()))
        }
      }
    }
  }
}
