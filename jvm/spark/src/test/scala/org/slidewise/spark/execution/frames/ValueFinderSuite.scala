package org.slidewise.spark.execution.frames

import munit.ScalaCheckSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import org.slidewise.spark.execution.rows.RowsByPosition

class ValueFinderSuite extends ScalaCheckSuite {
  import ValueFinderSuite._

  property("frames hold the rows between two values, which move to any side and may be null") {
    forAll(inputs) { in =>
      val rows = new CountedRows(in.keys)
      val finder = finderOf(in, rows)
      in.bounds.foreach { case (lower, upper) =>
        assert(finder.advance(0L, boundsRow(lower, upper), in.keys.size.toLong, complete = true))
        val found = finder.lo until finder.hi
        assertEquals(found.map(_.toInt).toList, expected(in, lower, upper))
        assert(finder.lo >= 0 && finder.lo <= finder.hi && finder.hi <= in.keys.size)
      }
      finder.reset()
      assertEquals((finder.lo, finder.hi), (0L, 0L))
    }
  }

  property("an end is found in a number of comparisons that is logarithmic in the distance") {
    forAll(Gen.listOfN(20, Gen.choose(0, 100000))) { ends =>
      val keys = Vector.range(0, 100000)
      val rows = new CountedRows(keys)
      val finder = finderOf(Input(keys, Nil, hasLower = false, hasUpper = true, isInside = true), rows)
      var from = 0
      ends.foreach { end =>
        val before = rows.reads
        finder.advance(0L, boundsRow(None, Some(end)), keys.size.toLong, complete = true)
        val distance = math.abs(end - from) + 2
        assert(rows.reads - before <= 2 * math.log(distance.toDouble) / math.log(2) + 4)
        from = end
      }
    }
  }

  test("rows of the partition that have not arrived") {
    val finder = finderOf(
      Input(Vector(1), Nil, hasLower = true, hasUpper = true, isInside = true),
      new CountedRows(Vector(1))
    )
    val _ = intercept[IllegalStateException](finder.advance(0L, boundsRow(None, None), 1L, complete = false))
  }
}

private object ValueFinderSuite {
  final case class Input(
      keys: Vector[Int],
      bounds: List[(Option[Int], Option[Int])],
      hasLower: Boolean,
      hasUpper: Boolean,
      isInside: Boolean
  )

  private val bound = Gen.frequency(1 -> Gen.const(None), 9 -> Gen.choose(-2, 32).map(Option(_)))

  val inputs: Gen[Input] = for {
    n <- Gen.choose(0, 60)
    keys <- Gen.listOfN(n, Gen.choose(0, 30))
    bounds <- Gen.listOfN(30, Gen.zip(bound, bound))
    ends <- Gen.oneOf((true, true), (true, false), (false, true))
    isInside <- Gen.oneOf(true, false)
  } yield Input(keys.sorted.toVector, bounds, ends._1, ends._2, isInside)

  /** By the definition: no row is between values of which one is null, or which are in the wrong order. */
  def expected(in: Input, lower: Option[Int], upper: Option[Int]): List[Int] = {
    def holds(limit: Option[Int], isUsed: Boolean, isPast: Int => Boolean) =
      !isUsed || limit.exists(l => isPast(l))
    in.keys.indices.filter { i =>
      val key = in.keys(i)
      holds(lower, in.hasLower, l => key > l || in.isInside && key == l) &&
      holds(upper, in.hasUpper, u => key < u || in.isInside && key == u)
    }.toList
  }

  def boundsRow(lower: Option[Int], upper: Option[Int]): InternalRow =
    InternalRow(lower.map(_.toLong).orNull[Any], upper.map(_.toLong).orNull[Any])

  private def column(ordinal: Int): Projection =
    InterpretedMutableProjection.createProjection(Seq(BoundReference(ordinal, LongType, nullable = true)))

  private val ordering = InterpretedOrdering.forSchema(Seq(LongType))

  def finderOf(in: Input, rows: RowsByPosition): ValueFinder = {
    val lower = new ValueBound(ordering, column(0), column(0), keepsTies = !in.isInside)
    val upper = new ValueBound(ordering, column(0), column(1), keepsTies = in.isInside)
    new ValueFinder(if (in.hasLower) Some(lower) else None, if (in.hasUpper) Some(upper) else None, rows)
  }

  final class CountedRows(keys: Vector[Int]) extends RowsByPosition {
    private[this] val row = new UnsafeRow(1)
    row.pointTo(new Array[Byte](16), 16)
    var reads = 0

    override def apply(position: Long): UnsafeRow = {
      reads += 1
      row.setLong(0, keys(position.toInt).toLong)
      row
    }
  }
}
