package org.slidewise.bench

import org.slidewise.core.{Algorithm, Operators}

/** The algorithms that a benchmark names. */
object Algorithms {

  def byName(name: String): Algorithm =
    Algorithm.all
      .find(_.name == name)
      .getOrElse(
        throw new IllegalArgumentException(
          s"algorithm is $name: it must be one of ${Algorithm.all.map(_.name).mkString("; ")}"
        )
      )

  /** Subtract-on-evict runs sums only, so it is not among [[byName]]'s. */
  def sumWindow(name: String): org.slidewise.core.DoubleWindow =
    if (name == "Subtract-on-Evict") Algorithm.subtractOnEvict.window(Operators.sum)
    else byName(name).window(Operators.sum)
}
