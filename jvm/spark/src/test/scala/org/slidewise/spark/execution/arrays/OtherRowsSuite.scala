package org.slidewise.spark.execution.arrays

import munit.ScalaCheckSuite
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType
import org.scalacheck.Gen
import org.scalacheck.Prop.{forAll, propBoolean}

import org.slidewise.spark.execution.sorting.{ArrivalOrder, LongColumns, SortedColumns}
import org.slidewise.spark.plan.Frame

/** The frames that one scan of rows and elements finds, and those that the definition gives. */
class OtherRowsSuite extends ScalaCheckSuite {
  import OtherRowsSuite._

  property("frames hold the elements of the row's key between its bounds") {
    forAll(Gen.zip(inputs, Gen.oneOf(frames))) { case (in, frame) =>
      framesOf(in, frame).foreach(found => assertEquals(found, in.rows.map(expected(in, frame, _))))
    }
  }

  property("ends that rise within each key are always found") {
    forAll(Gen.zip(inputs.map(rising), Gen.oneOf(frames))) { case (in, frame) =>
      assert(framesOf(in, frame).isDefined)
    }
  }

  property("frames that share their ends are found as each alone") {
    forAll(inputs.map(rising)) { in =>
      assertEquals(framesOf(in, frames), Some(frames.map(frame => in.rows.map(expected(in, frame, _)))))
    }
  }

  property("a row without one bound of its frames neither moves their ends nor has a frame of its own") {
    val bounded = frames.filter(frame => isInside(frame.lower).isDefined && isInside(frame.upper).isDefined)
    forAll(inputs.map(rising), Gen.listOfN(12, Gen.zip(row, Gen.oneOf(true, false)))) { (in, others) =>
      val lacking = others.map { case (other, lacksLower) =>
        val row = other.copy(key = if (in.keys == NoKeys) 0 else other.key)
        if (lacksLower) row.copy(lower = None) else row.copy(upper = None)
      }
      // Before, between and after the rows of its key.
      val mixed = lacking.zipWithIndex.foldLeft(in.rows) { case (rows, (other, i)) =>
        val ofKey = rows.count(_.key == other.key)
        val place = rows.count(_.key < other.key) + i * 7 % (ofKey + 1)
        rows.patch(place, Seq(other), 0)
      }
      val found = framesOf(in.copy(rows = mixed), bounded)
      assertEquals(found, Some(bounded.map(frame => mixed.map(expected(in, frame, _)))))
    }
  }

  property("an end that moves back is refused") {
    forAll(Gen.zip(inputs, Gen.oneOf(frames))) { case (in, frame) =>
      val ends =
        in.rows.groupBy(_.key).values.map(_.map(expectedEnds(in, frame, _)).collect { case Some(end) => end })
      val movesBack =
        ends.exists(of => of.zip(of.drop(1)).exists { case (a, b) => b._1 < a._1 || b._2 < a._2 })
      movesBack ==> assertEquals(framesOf(in, frame), None)
    }
  }
}

private object OtherRowsSuite {
  final case class Row(key: Int, lower: Option[Int], upper: Option[Int])
  final case class Input(rows: List[Row], elements: List[(Int, Int)], keys: Keys)

  /** How rows tell their keys. */
  sealed trait Keys
  case object NoKeys extends Keys
  case object Ranks extends Keys

  /** A column of the keys, which is null for the key 0. */
  case object InColumn extends Keys

  private val bound = Gen.frequency(1 -> Gen.const(None), 12 -> Gen.choose(0, 20).map(Option(_)))
  private val row = for (key <- Gen.choose(0, 4); lower <- bound; upper <- bound) yield Row(key, lower, upper)

  /** Rows and elements in the order of their keys; some keys have no row, or no element. */
  val inputs: Gen[Input] = for {
    keys <- Gen.oneOf(NoKeys, Ranks, InColumn)
    rows <- Gen.choose(0, 12).flatMap(Gen.listOfN(_, row))
    sorted <- Gen.oneOf(true, true, false)
    elements <- Gen.choose(0, 40).flatMap(Gen.listOfN(_, Gen.zip(Gen.choose(0, 5), Gen.choose(0, 20))))
  } yield {
    def key(of: Int) = if (keys == NoKeys) 0 else of
    val all = rows.map(r => r.copy(key = key(r.key)))
    val inOrder = if (sorted) all.sortBy(r => (r.key, r.lower, r.upper)) else all.sortBy(_.key)
    Input(inOrder, elements.map { case (k, at) => key(k) -> at }.sorted, keys)
  }

  /** The input with bounds that rise within each key; the first rows of a key may have a null. */
  def rising(in: Input): Input = {
    val rows = in.rows.groupBy(_.key).toList.sortBy(_._1).flatMap { case (key, of) =>
      val (known, unknown) = of.partition(r => r.lower.isDefined && r.upper.isDefined)
      val lower = known.flatMap(_.lower).sorted
      val upper = known.flatMap(_.upper).sorted
      unknown.map(_.copy(lower = None, upper = None)) ++ lower.zip(upper).map { case (l, u) =>
        Row(key, Some(l), Some(u))
      }
    }
    in.copy(rows = rows)
  }

  private val time = AttributeReference("time", LongType, nullable = false)()
  private val lowerValue = AttributeReference("lower", LongType)()
  private val upperValue = AttributeReference("upper", LongType)()

  private def limit(value: Expression, isInside: Boolean): Frame.Bound =
    Frame.RowBound(SortOrder(time, Ascending), value, isInside, mayRise = true)

  val frames: Seq[Frame.Range] = for {
    inside <- Seq(true, false)
    ends <- Seq((true, true), (true, false), (false, true))
  } yield Frame.Range(
    if (ends._1) limit(lowerValue, inside) else Frame.Unbounded,
    if (ends._2) limit(upperValue, !inside) else Frame.Unbounded
  )

  private def isInside(bound: Frame.Bound): Option[Boolean] = bound match {
    case Frame.RowBound(_, _, inside, _) => Some(inside)
    case _                               => None
  }

  /** The ends of a row's frame among the elements of its key; none for a row with a null bound. */
  def expectedEnds(in: Input, frame: Frame.Range, row: Row): Option[(Int, Int)] = {
    val times = in.elements.collect { case (key, at) if key == row.key => at }
    val start = isInside(frame.lower) match {
      case None         => Some(0)
      case Some(inside) => row.lower.map(l => times.count(t => t < l || !inside && t == l))
    }
    val end = isInside(frame.upper) match {
      case None         => Some(times.size)
      case Some(inside) => row.upper.map(u => times.count(t => t < u || inside && t == u))
    }
    for (s <- start; e <- end) yield (math.min(s, e), e)
  }

  /** The elements of a row's frame: their places among those of its key. */
  def expected(in: Input, frame: Frame.Range, row: Row): List[Int] =
    expectedEnds(in, frame, row).toList.flatMap { case (lo, hi) => (lo until hi).toList }

  private val NumberOfKeys = 6

  private def sorted(
      in: Input,
      keys: List[Int],
      ranks: Array[Int],
      orders: List[Option[Int]]*
  ): SortedColumns = {
    val columns = new LongColumns(1 + orders.size)
    columns.resize(keys.size)
    val starts = new java.util.BitSet
    keys.zipWithIndex.foreach { case (key, i) =>
      if (in.keys == InColumn && key == 0) columns.setNull(0, i) else columns.set(0, i, key.toLong)
      if (i == 0 || keys(i - 1) != key) starts.set(i)
      orders.zipWithIndex.foreach { case (values, c) =>
        values(i).fold(columns.setNull(c + 1, i))(v => columns.set(c + 1, i, v.toLong))
      }
    }
    val order =
      new ArrivalOrder(columns, keys.size, 1, starts, new java.util.BitSet, Array.range(0, keys.size))
    val keyColumns = if (in.keys == NoKeys) 0 else 1
    // The first order column is at the end of the key columns.
    val moved = if (keyColumns == 1) columns else withoutFirst(columns, keys.size)
    new SortedColumns(
      order,
      moved,
      keyColumns,
      keyColumns,
      false,
      _ => true,
      if (in.keys == Ranks) ranks else null
    )
  }

  private def withoutFirst(columns: LongColumns, rows: Int): LongColumns = {
    val others = new LongColumns(columns.width - 1)
    others.resize(rows)
    for (c <- 0 until others.width; row <- 0 until rows)
      if (columns.isNull(c + 1, row)) others.setNull(c, row) else others.set(c, row, columns(c + 1)(row))
    others
  }

  /** The elements of each row's frame as the scan finds them; none if it refuses. */
  def framesOf(in: Input, frame: Frame.Range): Option[List[List[Int]]] = framesOf(in, Seq(frame)).map(_.head)

  def framesOf(in: Input, frames: Seq[Frame.Range]): Option[Seq[List[List[Int]]]] = {
    // Elements have ranks of their own: those of the keys that have elements.
    val present = in.elements.map(_._1).distinct.sorted
    val rankOf = if (in.keys == Ranks) present.zipWithIndex.toMap else present.map(key => key -> key).toMap
    val times = in.elements.map(e => Option(e._2))
    val elements = sorted(in, in.elements.map(e => rankOf(e._1)), Array.range(0, present.size), times)
    // A key's number is its place in `all`, and its rank among the rows is the key itself.
    val all = present ++ (0 until NumberOfKeys).filterNot(present.contains)
    val rows = sorted(in, in.rows.map(_.key), all.toArray, in.rows.map(_.lower), in.rows.map(_.upper))
    def column(bound: Frame.RowBound) = rows.firstInput + (if (bound.value == lowerValue) 0 else 1)
    OtherRows.of(rows, elements, frames, column).map { found =>
      val partitions = Iterator
        .iterate(0)(rows.order.endOfPartition(_))
        .takeWhile(_ < in.rows.size)
        .map(from => from -> rows.order.endOfPartition(from))
        .toList
      def elementsOf(partition: (Int, Int), frame: Frame.Range): List[List[Int]] = {
        val (from, until) = partition
        found.begin(from, until, isFirst = from == 0, isLast = false)
        val of = found.framesOf(null, null)(frame)
        of.begin(from, until)
        List.tabulate(until - from) { i =>
          val ends = (of.frames.lo(i), of.frames.hi(i))
          if (of.nextWithout(i) == i) {
            assert(ends == (if (i == 0) (0, 0) else (of.frames.lo(i - 1), of.frames.hi(i - 1))))
            Nil
          } else (ends._1 until ends._2).toList
        }
      }
      val inOrder = frames.map(frame => partitions.map(elementsOf(_, frame)))
      // Callers may turn back to partitions that they have passed.
      assert(frames.map(frame => partitions.reverse.map(elementsOf(_, frame)).reverse) == inOrder)
      inOrder.map(_.flatten)
    }
  }
}
