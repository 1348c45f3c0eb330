package org.slidewise.core.example

import munit.FunSuite

/** Runs the Java examples of the summaries. */
class JavaSummariesSuite extends FunSuite {

  test("the last elements") {
    assertEquals(JavaSummaries.ones(3, 0.1, true, true, false, true), 2.0)
    assertEquals(JavaSummaries.sum(2, 100, 1e-6, 5, 7, 9), 16.0)
    assertEqualsDouble(JavaSummaries.mean(2, -10, 10, 0.001, 5, 7, 9), 8.0, 0.02)
  }

  test("the last hour, out of order and from two places") {
    for (count <- Seq(JavaSummaries.inLastHour _, JavaSummaries.inLastHourByLevels _)) {
      val answer = count(7200, Array(7000, 3599, 3600), Array(7100, 100))
      assertEquals((answer.lower, answer.estimate, answer.upper), (3.0, 3.0, 3.0), answer)
    }
  }
}
