package org.slidewise.spark.execution.streams.hopping

import java.lang.reflect.{Method, Proxy}

import scala.util.Random

import munit.FunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types._

import org.slidewise.spark.execution.streams.CancellationCheck
import org.slidewise.spark.plan.{HoppingOutput, HoppingWindowPlan, HoppingWindows}

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
      HoppingOutput(None, Nil),
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

  test("each output mode asks whether the task is cancelled, also while no row comes out") {
    final class Cancelled extends RuntimeException
    val windows = HoppingWindows(size = 60, slide = 1, offset = 0)
    val plan = planOf(windows)
    val project = UnsafeProjection.create(Array[DataType](TimestampType))
    val nothing = Proxy
      .newProxyInstance(
        getClass.getClassLoader,
        Array[Class[_]](classOf[StateStore]),
        (_: AnyRef, _: Method, _: Array[AnyRef]) => null
      )
      .asInstanceOf[StateStore]
    val tasks = Seq[(Iterator[InternalRow], PaneStore, CancellationCheck) => PaneStateTask](
      new AllPanes(_, plan, _, _, _ => ()),
      new CompletePanes(_, plan, _, Watermarks(0, 0), _, _ => ()),
      new TouchedPanes(_, plan, _, Some(Watermarks(0, 0)), _, _ => ())
    )
    tasks.foreach { task =>
      var read = 0
      val endless = Iterator.continually {
        read += 1
        project(InternalRow(1000L + read)): InternalRow
      }
      val check = new CancellationCheck(() => throw new Cancelled)
      intercept[Cancelled](task(endless, new PaneStore(nothing, plan, Seq(plan.pane)), check).hasNext)
      assert(read <= CancellationCheck.Every + 1, read)
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
