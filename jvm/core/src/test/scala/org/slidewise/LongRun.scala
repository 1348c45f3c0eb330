package org.slidewise

import munit.{Tag, TestOptions}

/** Marks a test of the long run. `make test-long` sets `SLIDEWISE_LONG`, and all other runs leave the test out. */
object LongRun extends Tag("LongRun") {
  private val isOn: Boolean = sys.env.contains("SLIDEWISE_LONG")

  /** A number of repetitions. */
  def orLess(repetitions: Int, less: Int): Int = if (isOn) repetitions else less

  /** The first case of a kind that this project has in a short run. */
  private[slidewise] val first: Int = Integer.getInteger("slidewise.tests.first", 0)
}

/** Leaves every `n`-th case of a kind to a short run. Each Spark project begins with another one: together they run more of them. */
final class OneOf(n: Int, first: Int = LongRun.first) {
  private var seen = 0

  def apply(name: TestOptions): TestOptions = {
    seen += 1
    if ((seen - 1 + first) % n == 0) name else name.tag(LongRun)
  }
}

/** Leaves some cases of each test to a short run: those of one line of the source. Each Spark project has others of them. */
object SomeCases {
  private val OneIn = 5

  /** About a fifth of the cases, the others marked as [[LongRun]]. Lines that mark their cases themselves keep these marks. */
  def of(tests: Seq[munit.Test], first: Int = LongRun.first): Seq[munit.Test] = {
    def isChosen(test: munit.Test) = Math.floorMod(test.name.hashCode, OneIn) == first % OneIn
    val chosen = tests
      .groupBy(test => (test.location.path, test.location.line))
      .values
      .flatMap { cases =>
        if (cases.exists(_.tags(LongRun))) cases
        else Some(cases.filter(isChosen)).filter(_.nonEmpty).getOrElse(Seq(cases(first % cases.size)))
      }
      .toSet
    tests.map(test => if (chosen(test)) test else test.tag(LongRun))
  }
}
