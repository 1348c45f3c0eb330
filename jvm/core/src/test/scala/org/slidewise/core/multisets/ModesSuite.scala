package org.slidewise.core.multisets

import org.scalacheck.Prop.forAll

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.Columns

class ModesSuite extends MultisetSuite {

  private val dictionary = new ColumnDictionary
  private val modes = new Modes

  private def naive(codes: Vector[Int], smallest: Boolean): Int =
    if (codes.isEmpty) -1
    else {
      val counts = codes.groupBy(identity).map { case (code, all) => code -> all.size }
      val most = counts.collect { case (code, count) if count == counts.values.max => code }
      if (smallest) most.min else most.max
    }

  property("the most frequent code, and the smallest or the greatest of several") {
    forAll(withFrames(Columns.longs)) { case (column, frames) =>
      dictionary.encodeInOrder(longs(column), column.valid(sayAllValid = true), column.size)
      val codes = codesOf(dictionary, column.size)
      for (smallest <- Seq(true, false)) {
        val out = new Array[Int](frames.count)
        modes.frames(dictionary.codes, dictionary.cardinality, frames, smallest, out)
        assertEquals(out.toSeq, windows(codes, frames).map(naive(_, smallest)))
      }
    }
  }

  test("an array of results that is too short is refused") {
    intercept[IllegalArgumentException](
      modes.frames(new Array(3), 1, Frames.rows(3, 0, 0), smallest = true, new Array(2))
    )
  }
}
