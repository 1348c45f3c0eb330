package org.slidewise.core.selection

import scala.collection.mutable
import scala.util.Random

import munit.FunSuite

import org.slidewise.core.selection.FirstRows._
import org.slidewise.core.selection.SmallestPerGroup.{Accepted, Refused, Rejected}

class SelectionSuite extends FunSuite {
  import SelectionSuite._

  for (
    first <- Seq(ByRowNumber, ByRank, ByDenseRank); n <- Seq(1, 2, 3, 4, 5, 9, 100);
    tied <- Seq(false, true)
  )
    test(s"$first, n = $n${if (tied) ", values that do not determine the order" else ""}") {
      for (seed <- 0 until 60) {
        val random = new Random(seed)
        val distinct = Seq(2, 20, 100000)(random.nextInt(3))
        val rows = Seq.fill(random.nextInt(600))(
          Row(random.nextInt(1 + random.nextInt(8)), random.nextInt(distinct).toLong - distinct / 2)
        )
        val numbers = new LongNumbers(new Budget)
        val smallest =
          new SmallestPerGroup[Key](n, first, NoValue, if (tied) Some(KeyOrder) else None, new Budget)
        // The value of a row whose order needs its key is coarser than the key.
        def value(row: Row) = if (tied) row.order >> 3 else row.order
        val accepted = rows.filter { row =>
          val group = numbers.of(row.group.toLong)
          val after = group < smallest.groups && smallest.isAfter(group, value(row))
          val offered = smallest.offer(group, value(row), new Key(row.order))
          assert(offered == Accepted || offered == Rejected)
          if (after) assertEquals(offered, Rejected)
          offered == Accepted
        }
        val kept =
          accepted.filter(row => smallest.keeps(numbers.of(row.group.toLong), value(row), new Key(row.order)))
        val expected = rows.groupBy(_.group).map { case (group, of) => group -> firstOf(of, first, n) }
        for ((group, wanted) <- expected) {
          val got = kept.filter(_.group == group)
          val same = got.map(System.identityHashCode).toSet
          assert(wanted.forall(row => same(System.identityHashCode(row))), s"seed $seed: $wanted not in $got")
          // Rows that tie with the last are dropped late: there are at most n of them.
          if (first.keepsTies) assertEquals(got, wanted, s"seed $seed")
          else assert(got.size <= 2 * n, s"seed $seed")
        }
      }
    }

  test("a value that stands for several never rejects its equals") {
    val smallest = new SmallestPerGroup[Key](1, ByRowNumber, Long.MaxValue - 1, None, new Budget)
    assertEquals(smallest.offer(0, Long.MaxValue - 1, null), Accepted)
    assertEquals(smallest.offer(0, Long.MaxValue - 1, null), Accepted)
    assertEquals(smallest.offer(0, Long.MaxValue, null), Rejected)
    assertEquals(smallest.offer(0, 0L, null), Accepted)
    assertEquals(smallest.offer(0, 0L, null), Rejected)
    assert(!smallest.keeps(0, Long.MaxValue - 1, null))
  }

  test("keys and null are numbered as they appear, whatever their bits") {
    val random = new Random(5)
    for (nullFrom <- Seq(0, 10, 5000, 50000)) {
      val keys = Seq.tabulate(50000)(i =>
        random.nextInt(5) match {
          case 0                  => Some(random.nextInt(10000).toLong)
          case 1                  => Some(random.nextInt(10000).toLong << 40)
          case 2 if i >= nullFrom => None
          case 3                  => Some(random.nextLong())
          case _                  => Some(Long.MinValue + random.nextInt(3))
        }
      )
      val numbers = new LongNumbers(new Budget)
      val expected = mutable.HashMap.empty[Option[Long], Int]
      for (key <- keys)
        assertEquals(
          key.fold(numbers.ofNull())(numbers.of),
          expected.getOrElseUpdate(key, expected.size)
        )
      assertEquals(numbers.size, expected.size)
    }
  }

  test("what is held fits into the budget, and a budget that refuses changes nothing") {
    val budget = new Budget(limit = 1 << 20)
    val numbers = new LongNumbers(budget)
    val refused = Iterator.from(0).find(i => numbers.of(i.toLong) < 0).get
    assert(refused > 10000, refused)
    assertEquals(numbers.of(refused - 1L), refused - 1)

    for (ties <- Seq(None, Some(KeyOrder))) {
      val small = new Budget(limit = 1 << 20)
      val smallest = new SmallestPerGroup[Key](3, ByRowNumber, NoValue, ties, small)
      val group = Iterator.from(0).find(i => smallest.offer(i, 1L, new Key(1)) == Refused).get
      assert(group > 5000, group)
      assert(small.held <= small.limit)
      assert(small.limit - small.held < (512 << 10), small.held)
      assertEquals(smallest.size, group.toLong)
      assertEquals(
        smallest.offer(7, 2L, new Key(2)) == Accepted,
        ties.isEmpty,
        "room for a value, but not for a key"
      )
    }
  }

  test("keys that are replaced give their memory back") {
    val budget = new Budget
    val smallest = new SmallestPerGroup[Key](2, ByRowNumber, NoValue, Some(KeyOrder), budget)
    for (i <- 0 until 100000) assertEquals(smallest.offer(0, -i.toLong, new Key(-i.toLong)), Accepted)
    assert(budget.held < (100 << 10), budget.held)
  }
}

object SelectionSuite {
  private val NoValue = Long.MaxValue

  final private class Row(val group: Int, val order: Long) {
    override def toString = s"$group:$order"
  }
  private object Row { def apply(group: Int, order: Long) = new Row(group, order) }

  final private class Key(val order: Long)

  private object KeyOrder extends TieOrder[Key] {
    override def compare(a: Key, b: Key): Int = java.lang.Long.compare(a.order, b.order)
    override def copy(key: Key): Key = new Key(key.order)
    override def bytes(key: Key): Long = 24
  }

  final private class Budget(val limit: Long = Long.MaxValue) extends HeapBudget {
    var held = 0L
    override def acquire(bytes: Long): Boolean = {
      val granted = held + bytes <= limit
      if (granted) held += bytes
      granted
    }
    override def release(bytes: Long): Unit = held -= bytes
  }

  /** The definition: the rows of one group, in the order in which they came. */
  private def firstOf(rows: Seq[Row], first: FirstRows, n: Int): Seq[Row] = {
    val sorted = rows.sortBy(_.order)
    val chosen = first match {
      case ByRowNumber => sorted.take(n)
      case ByRank      => sorted.filter(row => rows.count(_.order < row.order) < n)
      case ByDenseRank => sorted.filter(row => rows.map(_.order).filter(_ < row.order).distinct.size < n)
    }
    rows.filter(row => chosen.exists(_ eq row))
  }
}
