package org.slidewise.bench.combines

import org.slidewise.core.batch.{Frames, GreedySwa}
import org.slidewise.core.windows.WindowAlgorithm
import org.slidewise.core.{Aggregator, SlidingAggregator}

/**
 * Counts, exactly, the combines that each algorithm does for the same frames, and prints them as JSON: SWA, which does the
 * fewest possible, beside the others. All are given the same steps: evict in bulk, insert, query once a frame; an element
 * that no frame covers is not inserted. The operator does not commute, and every answer is checked.
 *
 * @see
 *   Basin, Klaedtke, Zălinescu, "Greedily Computing Associative Aggregations on Sliding Windows", sections 4 and 5
 */
object Combines {

  private val algorithms: Seq[WindowAlgorithm] = {
    import WindowAlgorithm._
    Seq(twoStacks, twoStacksLite, daba, dabaLite, flatFit, flatFat, fiba, recalculation)
  }

  def main(arguments: Array[String]): Unit = {
    require(arguments.isEmpty, "Combines takes no arguments")
    val shapes = Shapes.all.map { case (name, frames) =>
      val expected = run(frames, new GreedySwa(_))._2
      val counts = ("SWA" -> run(frames, new GreedySwa(_))._1) +: algorithms.map { algorithm =>
        val (count, answers) = run(frames, algorithm.window(_))
        require(answers.sameElements(expected), s"$algorithm answers otherwise than SWA for $name")
        algorithm.name -> count
      }
      val columns = counts.map { case (algorithm, count) => s""""$algorithm": $count""" }
      s"""{"shape": "$name", "elements": ${frames.size}, "frames": ${frames.count}, "combines": {${columns
          .mkString(", ")}}}"""
    }
    println(shapes.mkString("[", ",\n", "]"))
  }

  private def run(
      frames: Frames,
      make: Aggregator[Int, Affine, Int] => SlidingAggregator[Int, Int]
  ): (Long, Array[Int]) = {
    val operator = new Counting
    val window = make(operator)
    var end = 0
    val answers = Array.tabulate(frames.count) { k =>
      window.evict(math.min(window.size, frames.lo(k) - (end - window.size)))
      end = math.max(end, frames.lo(k))
      while (end < frames.hi(k)) {
        window.insert(end)
        end += 1
      }
      window.query()
    }
    (operator.combines, answers)
  }

  /** x to `factor` x + `offset`, modulo 2^32^. */
  private final case class Affine(factor: Int, offset: Int)

  private final class Counting extends Aggregator[Int, Affine, Int] {
    var combines: Long = 0L
    override def identity: Affine = Affine(1, 0)
    override def lift(in: Int): Affine = Affine(2 * in + 1, in)
    override def combine(older: Affine, newer: Affine): Affine = {
      combines += 1
      Affine(older.factor * newer.factor, older.offset * newer.factor + newer.offset)
    }
    override def lower(agg: Affine): Int = agg.factor ^ agg.offset
  }
}
