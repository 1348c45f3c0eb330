package org.slidewise.core.multisets

import org.slidewise.core.HeldBytes
import org.slidewise.core.batch.Frames

/** `BytesARow` against the objects that are held after columns of distinct values, which take the most. */
class MemorySuite extends MultisetSuite {

  private val Besides = 16L << 10

  /** Just before and just after arrays double, and short columns after long ones. */
  private val columns = Seq(
    Seq(1, 100, 5000, 20000, 32768, 32769, 60000, 65537, 1000),
    Seq(65536, 3, 65537, 70000),
    Seq(131073)
  )

  private def holds(name: String, bytesARow: Long)(create: => AnyRef)(
      evaluate: PartialFunction[(AnyRef, Array[Long], Frames), Unit]
  ): Unit =
    test(s"$name holds at most as many bytes a row as it says, and a third of them or more") {
      for (sizes <- columns) {
        val held = create
        var longest = 0
        for (size <- sizes) {
          longest = math.max(longest, size)
          evaluate((held, Array.tabulate(size)(_ * 0x9e3779b97f4a7c15L), Frames.rows(size, -9, 0)))
          val bytes = HeldBytes(held)
          assert(bytes <= bytesARow * longest + Besides, s"$bytes bytes after $size of at most $longest rows")
          assert(bytes >= bytesARow * longest / 3, s"$bytes bytes after $size of at most $longest rows")
        }
      }
    }

  private def encoded(values: Array[Long]): ColumnDictionary = {
    val dictionary = new ColumnDictionary
    dictionary.encode(values, null, values.length)
    dictionary
  }

  holds("ColumnDictionary", ColumnDictionary.BytesARow)(new ColumnDictionary) {
    case (dictionary: ColumnDictionary, values, _) =>
      dictionary.encodeInOrder(values, null, values.length)
  }

  holds("DistinctCounts", DistinctCounts.BytesARow)(new DistinctCounts) {
    case (counts: DistinctCounts, values, frames) =>
      counts.frames(encoded(values).codes, values.length, frames, new Array(values.length))
  }

  holds("DistinctSums", DistinctSums.BytesARow)(new DistinctSums) {
    case (sums: DistinctSums, values, frames) =>
      sums.totals(encoded(values), frames, new Array(values.length))
  }

  holds("DistinctDoubleSums", DistinctDoubleSums.BytesARow)(new DistinctDoubleSums) {
    case (sums: DistinctDoubleSums, values, frames) =>
      sums.frames(encoded(values), frames, new Array(values.length))
  }

  holds("Percentiles", Percentiles.BytesARow)(new Percentiles) {
    case (percentiles: Percentiles, values, frames) =>
      val out = Array(new Array[Int](values.length))
      percentiles.ranked(
        encoded(values).codes,
        values.length,
        Array(RankRule.discrete(0.5)),
        frames,
        out
      )
  }

  holds("Modes", Modes.BytesARow)(new Modes) { case (modes: Modes, values, frames) =>
    modes.frames(
      encoded(values).codes,
      values.length,
      frames,
      smallest = true,
      new Array(values.length)
    )
  }
}
