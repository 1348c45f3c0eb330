package org.slidewise.core.kernels

/** Spark's results for one window, by a fold from the oldest value to the newest. None is null. */
object Naive {

  def sum(values: Seq[Double]): Option[Double] = Option.when(values.nonEmpty)(values.foldLeft(0.0)(_ + _))

  def mean(values: Seq[Double]): Option[Double] = sum(values).map(_ / values.size)

  /** By Spark's own update of its central moments. */
  def variance(ddof: Int)(values: Seq[Double]): Option[Double] = {
    val (count, _, deviations) = values.foldLeft((0.0, 0.0, 0.0)) { case ((n, mean, m2), value) =>
      val delta = value - mean
      val step = delta / (n + 1)
      (n + 1, mean + step, m2 + delta * (delta - step))
    }
    Option.when(values.size > ddof)(deviations / (count - ddof))
  }

  /** Spark's order of doubles. */
  def greater(a: Double, b: Double): Boolean = if (a.isNaN) !b.isNaN else !b.isNaN && a > b

  def max(values: Seq[Double]): Option[Double] =
    values.reduceOption((old, v) => if (greater(v, old)) v else old)
  def min(values: Seq[Double]): Option[Double] =
    values.reduceOption((old, v) => if (greater(old, v)) v else old)

  /** The newest position, among `cells` from `lo`, of a value that no other is better than; -1 if there is none. */
  def position[A](cells: Seq[Option[A]], lo: Int)(better: (A, A) => Boolean): Int =
    cells.zipWithIndex
      .foldLeft((-1, Option.empty[A])) {
        case ((at, best), (Some(v), i)) => if (best.exists(better(_, v))) (at, best) else (lo + i, Some(v))
        case (old, _)                   => old
      }
      ._1
}
