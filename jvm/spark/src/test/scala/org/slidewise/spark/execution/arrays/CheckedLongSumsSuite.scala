package org.slidewise.spark.execution.arrays

import munit.ScalaCheckSuite
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EvalMode}
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.types.LongType
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.LongKernels
import org.slidewise.spark.shims.{SparkErrors, SparkExpressions}

class CheckedLongSumsSuite extends ScalaCheckSuite {

  private def sum(mode: EvalMode.Value): Sum =
    SparkExpressions.sum(AttributeReference("x", LongType)(), mode)

  /** Values near the ends of the type and near zero, some null. */
  private val values: Gen[Vector[Option[Long]]] = {
    val one = Gen.frequency(
      4 -> Gen.choose(-100L, 100L),
      2 -> Gen.oneOf(Long.MaxValue, Long.MinValue, Long.MaxValue - 50, Long.MinValue + 50),
      2 -> Gen.oneOf(1L << 61, -(1L << 61), 1L << 62, -(1L << 62))
    )
    Gen
      .choose(1, 40)
      .flatMap(Gen.listOfN(_, Gen.frequency(5 -> one.map(Option(_)), 1 -> Gen.const(None))))
      .map(_.toVector)
  }

  private val cases = for {
    rows <- values
    lower <- Gen.choose(-6, 2)
    width <- Gen.choose(0, 6)
  } yield (rows, lower, lower + width)

  /** As Spark adds: from the first row to the last, none once an addition leaves 64 bits, null without values. */
  private def naive(rows: Seq[Option[Long]]): Option[Option[Long]] =
    rows.flatten.foldLeft(Option(BigInt(0)))((total, x) => total.map(_ + x).filter(_.isValidLong)) match {
      case None                      => None
      case _ if rows.flatten.isEmpty => Some(None)
      case Some(total)               => Some(Some(total.toLong))
    }

  private def evaluate(
      rows: Vector[Option[Long]],
      frames: Frames,
      mode: EvalMode.Value
  ): (Seq[Option[Long]], Long, CheckedLongSums) = {
    val column = rows.map(_.getOrElse(0L)).toArray
    val valid = new Array[Long]((rows.size + 63) / 64)
    rows.indices.filter(rows(_).isDefined).foreach(i => valid(i >>> 6) |= 1L << i)
    val out = new Array[Long](rows.size)
    LongKernels.sum().frames(column, valid, frames, out)
    val nulls = scala.collection.mutable.Set.empty[Int]
    val sums = new CheckedLongSums(sum(mode), () => ())
    val recalculated =
      sums.correct(column, valid, frames, 0, rows.size, out)(nulls += _)
    (out.indices.map(i => if (nulls(i)) None else Some(out(i))), recalculated, sums)
  }

  property("try_sum: null exactly where an addition overflows, else the sum") {
    forAll(cases) { case (rows, lower, upper) =>
      val frames = Frames.rows(rows.size, lower, upper)
      val (found, _, _) = evaluate(rows, frames, EvalMode.TRY)
      rows.indices.foreach { i =>
        naive(rows.slice(frames.lo(i), frames.hi(i))) match {
          case None              => assertEquals(found(i), None, s"row $i")
          case Some(Some(total)) => assertEquals(found(i), Some(total), s"row $i")
          case Some(None)        => () // no values: null by the number of values, not here
        }
      }
    }
  }

  property("sum under ANSI stops at the first frame in which an addition overflows, and at no other") {
    forAll(cases) { case (rows, lower, upper) =>
      val frames = Frames.rows(rows.size, lower, upper)
      val first = rows.indices.find(i => naive(rows.slice(frames.lo(i), frames.hi(i))).isEmpty)
      val (found, _, sums) = evaluate(rows, frames, EvalMode.ANSI)
      assertEquals(sums.failsAt, first.getOrElse(Int.MaxValue))
      sums.failure match {
        case null                  => assertEquals(first, None)
        case error: SparkThrowable => assertEquals(SparkErrors.conditionOf(error), "ARITHMETIC_OVERFLOW")
        case other                 => fail(s"$other")
      }
      for (
        i <- 0 until first.getOrElse(rows.size);
        total <- naive(rows.slice(frames.lo(i), frames.hi(i))).flatten
      )
        assertEquals(found(i), Some(total), s"row $i")
    }
  }

  property("a partition in parts: the same results and failures as at once") {
    forAll(cases, Gen.choose(0, 40)) { case ((rows, lower, upper), split) =>
      val at = math.min(split, rows.size)
      val column = rows.map(_.getOrElse(0L)).toArray
      val frames = Frames.rows(rows.size, lower, upper)
      def correct(parts: Seq[(Int, Int)]) = {
        val out = new Array[Long](rows.size)
        LongKernels.sum().frames(column, null, frames, out)
        val nulls = Set.newBuilder[Int]
        val sums = new CheckedLongSums(sum(EvalMode.TRY), () => ())
        val recalculated = parts.map { case (first, until) =>
          sums.correct(column, null, frames, first, until, out)(nulls += _)
        }
        (out.toSeq, nulls.result(), recalculated.sum)
      }
      assertEquals(correct(Seq(0 -> at, at -> rows.size)), correct(Seq(0 -> rows.size)))
    }
  }

  test("a later part does not read the rows that only earlier frames hold") {
    val frames = Frames.rows(100, -3, 0)
    val values = Array.fill(100)(1L)
    val sums = new CheckedLongSums(sum(EvalMode.ANSI), () => ())
    frames.hi(40) = Int.MaxValue // no frame before the part is looked at
    assertEquals(sums.correct(values, null, frames, 50, 100, new Array[Long](100))(_ => ()), 0L)
  }

  test("recalculation comes to its checkpoint") {
    val n = 3 * CheckedLongSums.CheckEvery
    val values = Array.fill(n)(1L << 62)
    val frames = Frames.rows(n, -10, 0)
    var calls = 0
    val sums = new CheckedLongSums(sum(EvalMode.TRY), () => calls += 1)
    sums.correct(values, null, frames, 0, n, new Array[Long](n))(_ => ())
    assert(calls >= 20, calls)
  }

  test("only frames whose magnitudes leave 64 bits are recalculated") {
    val rows = Vector.tabulate(100)(i => Option(if (i == 50) Long.MaxValue else if (i == 53) -5L else 0L))
    val (_, recalculated, _) = evaluate(rows, Frames.rows(100, -3, 0), EvalMode.ANSI)
    assertEquals(recalculated, 1L) // the one frame with both
  }
}
