package org.slidewise.spark.execution.parallel

import scala.util.Random

import munit.FunSuite

/** Buckets of many runs in order, and how many of them the driver holds. */
class SortedSegmentsSuite extends FunSuite {

  test("segments of any number and length merge in order, and equal values keep theirs") {
    val random = new Random(7)
    for (segments <- 0 to 40) {
      // The lowest bits number the values, and are not compared.
      val lengths = Array.fill(segments)(random.nextInt(4) * random.nextInt(20))
      val ends = lengths.scanLeft(0)(_ + _)
      val values =
        lengths.flatMap(n => Array.fill(n)(random.nextInt(50).toLong << 20).sorted).zipWithIndex.map {
          case (value, i) => value | i.toLong
        }
      val merged =
        SortedSegments.merge(values.clone(), ends, (a, b) => java.lang.Long.compare(a >> 20, b >> 20))
      assertEquals(merged.toSeq, values.sorted.toSeq)
    }
  }

  test("many runs have fewer buckets each, but at least four for each task") {
    for (runs <- Seq(1, 2, 300, 2000, 20000); tasks <- Seq(2, 16, 200, 256, 1000)) {
      val buckets = RunsExchangeExec.bucketsFor(tasks)
      val each = RunsExchangeExec.bucketsOfRun(buckets, runs)
      assert(each <= buckets && each >= math.min(4 * tasks, buckets), (runs, tasks, each))
      assert(
        each.toLong * runs <= math.max(1L << 20, 4L * math.max(tasks, 16) * runs) || tasks >= 256,
        (runs, tasks, each)
      )
    }
    assertEquals(RunsExchangeExec.bucketsOfRun(RunsExchangeExec.bucketsFor(200), 2000), 800)
    assertEquals(RunsExchangeExec.bucketsOfRun(RunsExchangeExec.bucketsFor(200), 300), 3200)
  }
}
