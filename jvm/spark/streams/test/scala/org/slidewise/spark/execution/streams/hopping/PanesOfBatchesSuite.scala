package org.slidewise.spark.execution.streams.hopping

import scala.util.Random

import munit.FunSuite

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, UnsafeRow}
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.{HoppingWindowPlan, HoppingWindows}

/** Which panes a batch touches and which windows are late, against a search of all windows. */
class PanesOfBatchesSuite extends FunSuite {
  private val random = new Random(7)
  private val noKey = UnsafeRow.createFromByteArray(0, 0)

  private def planOf(windows: HoppingWindows): HoppingWindowPlan = {
    val bounds = new StructType().add("start", TimestampType).add("end", TimestampType)
    HoppingWindowPlan(
      windows,
      Nil,
      AttributeReference("window", bounds)(),
      AttributeReference("pane", TimestampType)(),
      Nil,
      Nil,
      Nil,
      None,
      Nil,
      0L
    )
  }

  private def someWindows(): HoppingWindows = {
    val slide = 1L + random.nextInt(9)
    HoppingWindows(slide + 1 + random.nextInt(40), slide, random.nextInt(slide.toInt).toLong)
  }

  private def startsHolding(windows: HoppingWindows, time: Long): Set[Long] =
    (time - windows.size + 1 to time).filter(s => Math.floorMod(s - windows.offset, windows.slide) == 0).toSet

  private def panesWithin(windows: HoppingWindows, times: Range): Seq[Long] =
    times.map(t => windows.pane(t.toLong)).distinct

  test("late windows are counted once for each group, and a pane is late if all its windows are") {
    for (_ <- 1 to 500) {
      val windows = someWindows()
      val watermark = random.nextInt(60).toLong
      val panes = panesWithin(windows, -20 to 80).filter(_ => random.nextInt(3) == 0)
      val late = new LateWindows(planOf(windows), watermark)
      late.startGroup()
      panes.foreach { pane =>
        val all = startsHolding(windows, pane)
        assertEquals(
          late.add(noKey, pane),
          all.forall(_ + windows.size <= watermark),
          s"$windows $watermark $pane"
        )
      }
      val expected = panes.flatMap(startsHolding(windows, _)).filter(_ + windows.size <= watermark).toSet
      assertEquals(late.count, expected.size.toLong, s"$windows $watermark $panes")
    }
  }

  test("a pane is near touched ones if a window in time holds it and one of them") {
    for (_ <- 1 to 500) {
      val windows = someWindows()
      val notBefore = windows.lastStart(random.nextInt(40).toLong)
      val panes = panesWithin(windows, -20 to 90)
      val inTime = panes.filter(windows.lastStart(_) >= notBefore)
      val touched = inTime.filter(_ => random.nextInt(8) == 0)
      val starts = new TouchedStarts(planOf(windows))
      starts.clear(notBefore)
      touched.foreach(starts.add)
      assertEquals(starts.isEmpty, touched.isEmpty)
      val held = touched.flatMap(startsHolding(windows, _)).filter(_ >= notBefore).toSet
      panes.foreach { pane =>
        assertEquals(starts.contains(pane), touched.contains(pane))
        assertEquals(
          starts.isNear(pane),
          startsHolding(windows, pane).exists(held),
          s"$windows $touched $pane"
        )
      }
    }
  }
}
