package org.slidewise

import munit.{Tag, TestOptions}

/** Marks a test of the long run. `make test-long` sets `SLIDEWISE_LONG`, and all other runs leave it out. */
object LongRun extends Tag("LongRun") {
  private val isOn: Boolean = sys.env.contains("SLIDEWISE_LONG")

  /** A number of repetitions. */
  def orLess(repetitions: Int, less: Int): Int = if (isOn) repetitions else less

  /** Which case of a kind is the first that a short run has. Each Spark project has another, so that together they run more of them. */
  private[slidewise] val first: Int = Integer.getInteger("slidewise.tests.first", 0)
}

/** Cases of one kind, of which a short run has every `n`-th. */
final class OneOf(n: Int) {
  private var seen = LongRun.first % n

  def apply(name: TestOptions): TestOptions = {
    seen += 1
    if (seen % n == 1 % n) name else name.tag(LongRun)
  }
}
