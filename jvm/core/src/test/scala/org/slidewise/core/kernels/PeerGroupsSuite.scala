package org.slidewise.core.kernels

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

/** Ranks and frames of peers, beside what SQL's definitions say of an ordered list. */
class PeerGroupsSuite extends ScalaCheckSuite {

  private val keys: Gen[Vector[Int]] = for {
    size <- Gen.frequency(1 -> Gen.choose(0, 3), 5 -> Gen.choose(0, 300))
    distinct <- Gen.oneOf(1, 3, 1000)
    keys <- Gen.listOfN(size, Gen.choose(1, distinct))
  } yield keys.sorted.toVector

  private def groups(keys: Vector[Int]): PeerGroups = {
    val starts = Array.fill(Validity.words(keys.size) + 1)(-1L) // bits past the last row do not matter
    for (i <- 1 until keys.size if keys(i) == keys(i - 1)) starts(i >>> 6) &= ~(1L << i)
    new PeerGroups(starts, keys.size)
  }

  private def before(keys: Vector[Int], i: Int): Int = keys.count(_ < keys(i))
  private def upTo(keys: Vector[Int], i: Int): Int = keys.count(_ <= keys(i))

  property("rank, dense_rank, percent_rank and cume_dist") {
    forAll(keys) { keys =>
      val longs = new Array[Long](keys.size)
      val doubles = new Array[Double](keys.size)
      val rows = keys.indices.toVector
      groups(keys).ranks(longs)
      assertEquals(longs.toVector, rows.map(i => before(keys, i) + 1L))
      groups(keys).denseRanks(longs)
      assertEquals(longs.toVector, rows.map(i => keys.distinct.count(_ <= keys(i)).toLong))
      groups(keys).percentRanks(doubles)
      val others = math.max(1, keys.size - 1).toDouble
      assertEquals(doubles.toVector, rows.map(i => before(keys, i) / others))
      groups(keys).cumulativeDistribution(doubles)
      assertEquals(doubles.toVector, rows.map(i => upTo(keys, i) / keys.size.toDouble))
    }
  }

  property("ranks of a part of the rows are those of all rows") {
    forAll(keys, Gen.choose(0, 300), Gen.choose(0, 300), Gen.choose(1, 400)) { (keys, a, b, buckets) =>
      def startOfGroup(at: Int) = if (at >= keys.size) keys.size else before(keys, at)
      val (from, until) = (startOfGroup(math.min(a, b)), startOfGroup(math.max(a, b)))
      val (part, total, before0) = (keys.slice(from, until), keys.size.toLong, from.toLong)
      def longs(fill: (Vector[Int], Array[Long]) => Unit)(of: Vector[Int]) = {
        val out = new Array[Long](of.size)
        fill(of, out)
        out.toVector
      }
      def doubles(fill: (Vector[Int], Array[Double]) => Unit)(of: Vector[Int]) = {
        val out = new Array[Double](of.size)
        fill(of, out)
        out.toVector
      }
      val groupsBefore = keys.take(from).distinct.size.toLong
      assertEquals(
        longs((k, out) => groups(k).ranks(before0, out))(part),
        longs((k, out) => groups(k).ranks(out))(keys).slice(from, until)
      )
      assertEquals(
        longs((k, out) => groups(k).denseRanks(groupsBefore, out))(part),
        longs((k, out) => groups(k).denseRanks(out))(keys).slice(from, until)
      )
      assertEquals(
        doubles((k, out) => groups(k).percentRanks(before0, total, out))(part),
        doubles((k, out) => groups(k).percentRanks(out))(keys).slice(from, until)
      )
      assertEquals(
        doubles((k, out) => groups(k).cumulativeDistribution(before0, total, out))(part),
        doubles((k, out) => groups(k).cumulativeDistribution(out))(keys).slice(from, until)
      )
      assertEquals(
        longs((k, out) => PeerGroups.rowNumbers(k.size, before0, out))(part),
        longs((k, out) => PeerGroups.rowNumbers(k.size, out))(keys).slice(from, until)
      )
      assertEquals(
        longs((k, out) => PeerGroups.tiles(k.size, before0, total, buckets, out))(part),
        longs((k, out) => PeerGroups.tiles(k.size, buckets, out))(keys).slice(from, until)
      )
    }
  }

  test("tiles of more rows than an int counts") {
    val out = new Array[Long](4)
    PeerGroups.tiles(4, 3000000000L - 2L, 6000000001L, 2, out)
    assertEquals(out.toVector, Vector(1L, 1L, 1L, 2L))
  }

  property("frames that end with peers") {
    forAll(keys, Gen.oneOf(true, false), Gen.oneOf(true, false)) { (keys, fromFirst, toLast) =>
      val found = groups(keys).frames(fromFirst, toLast)
      for (i <- keys.indices) {
        assertEquals(found.lo(i), if (fromFirst) 0 else before(keys, i))
        assertEquals(found.hi(i), if (toLast) keys.size else upTo(keys, i))
      }
    }
  }

  property("row_number, and ntile: sizes differ by one at most, larger buckets first") {
    forAll(Gen.choose(0, 200), Gen.oneOf(Gen.choose(1, 10), Gen.choose(100, 400))) { (size, buckets) =>
      val numbers, tiles = new Array[Long](size)
      PeerGroups.rowNumbers(size, numbers)
      assertEquals(numbers.toVector, (1L to size.toLong).toVector)
      PeerGroups.tiles(size, buckets, tiles)
      val sizes = (1 to math.min(buckets, size)).map(b => tiles.count(_ == b))
      assertEquals(tiles.toVector, tiles.sorted.toVector)
      assertEquals(sizes.sum, size)
      assertEquals(sizes, sizes.sorted.reverse)
      if (size > 0) assert(sizes.max - sizes.min <= 1)
    }
  }

  test("fewer than one bucket is refused") {
    intercept[IllegalArgumentException](PeerGroups.tiles(3, 0, new Array(3)))
  }
}

class ValidPositionsSuite extends ScalaCheckSuite {
  property("the n-th value, nulls skipped") {
    forAll(Columns.longs, Gen.oneOf(true, false)) { (column, sayAllValid) =>
      val found = new ValidPositions(column.valid(sayAllValid), column.size)
      val expected = column.cells.indices.filter(column.cells(_).isDefined)
      assertEquals(expected.indices.map(n => found.row(n.toLong)).toVector, expected.toVector)
      assertEquals(found.row(expected.size.toLong), -1)
      assertEquals(found.row(-1L), -1)
      for (row <- 0 to column.size) assertEquals(found.before(row), expected.count(_ < row))
    }
  }
}
