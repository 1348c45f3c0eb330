package org.slidewise.core.incremental

import org.scalacheck.Prop.forAll

import org.slidewise.core.Aggregator

class LongestRunCheckpointsSuite extends CheckpointSuite {

  /** What two neighbours need to know of each other: size, ends, the runs at both ends, the longest one. */
  private case class Runs(size: Int, first: Int, last: Int, prefix: Int, suffix: Int, longest: Int)

  private class Merged(strict: Boolean) extends Aggregator[Int, Option[Runs], Int] {
    def identity: Option[Runs] = None
    def lift(in: Int): Option[Runs] = Some(Runs(1, in, in, 1, 1, 1))
    def lower(agg: Option[Runs]): Int = agg.fold(0)(_.longest)

    def combine(older: Option[Runs], newer: Option[Runs]): Option[Runs] = (older, newer) match {
      case (Some(a), Some(b)) =>
        val joined = rises(strict, a.last, b.first)
        Some(
          Runs(
            a.size + b.size,
            a.first,
            b.last,
            if (joined && a.prefix == a.size) a.size + b.prefix else a.prefix,
            if (joined && b.suffix == b.size) b.size + a.suffix else b.suffix,
            Seq(a.longest, b.longest, if (joined) a.suffix + b.prefix else 0).max
          )
        )
      case _ => older.orElse(newer)
    }
  }

  private def rises(strict: Boolean, last: Int, next: Int) = if (strict) next > last else next >= last

  /** All runs of the elements, oldest first: first position and length. */
  private def runs(elements: Seq[(Int, Long)], strict: Boolean): List[(Long, Int)] =
    elements
      .foldLeft(List.empty[(Long, Int, Int)]) {
        case ((start, length, last) :: rest, (value, _)) if rises(strict, last, value) =>
          (start, length + 1, value) :: rest
        case (found, (value, position)) => (position, 1, value) :: found
      }
      .reverse
      .map { case (start, length, _) => (start, length) }

  test("on the paper's window 3, 8, 12, 6, 5, 10, 4, 2: its runs, as elements enter and leave") {
    val window = new LongestRunCheckpoints[Int](strict = false)
    Seq(3, 8, 12, 6, 5, 10, 4, 2).foreach(window.insert)
    // 3 8 12 | 6 | 5 10 | 4 | 2: the run 6 is shorter than 5 10 after it
    assertEquals(window.all, Seq((0L, 3), (4L, 2), (6L, 1), (7L, 1)))
    assertEquals((window.query(), window.runStart), (3, 0L))
    window.evict()
    assertEquals((window.query(), window.runStart), (2, 1L))
    window.evict()
    assertEquals(
      (window.query(), window.runStart),
      (2, 4L),
      "12 alone is shorter than the second longest, 5 10"
    )
    Seq(2, 7).foreach(window.insert)
    assertEquals(
      (window.query(), window.runStart),
      (3, 7L),
      "2 2 7: equals do not end a run that need not be strict"
    )
  }

  for (strict <- Seq(true, false))
    property(
      s"${if (strict) "strict" else "not strict"}: the naive answer, the merged one, L1 to L3, after every step"
    ) {
      forAll(steps) { steps =>
        val window = new LongestRunCheckpoints[Int](strict)
        follow(window, new Merged(strict), steps) { (elements, merged) =>
          val all = runs(elements, strict)
          val longest = all.map(_._2).maxOption.getOrElse(0)
          assertEquals(window.query(), longest)
          assertEquals(window.query(), merged)
          assertEquals(window.runStart, all.find(_._2 == longest).fold(-1L)(_._1))
          val unbeaten = all.tails.collect { case run :: newer if newer.forall(_._2 <= run._2) => run }
          assertEquals(window.all, unbeaten.toSeq, "L1, L2, L3")
          assertEquals(window.checkpoints, window.all.size)
        }
      }
    }

  test("equal elements make one run, or one each") {
    for ((strict, longest) <- Seq((true, 1), (false, 5))) {
      val window = new LongestRunCheckpoints[String](strict)
      for (_ <- 1 to 5) window.insert("a")
      assertEquals(window.query(), longest)
    }
  }
}
