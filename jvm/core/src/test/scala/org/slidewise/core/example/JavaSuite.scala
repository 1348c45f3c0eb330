package org.slidewise.core.example

import java.util.Arrays.asList
import munit.FunSuite

/** Runs the Java examples of the core. */
class JavaSuite extends FunSuite {

  test("doubles, nothing boxed") {
    assertEquals(JavaWindows.movingMeans(Array(1.0, 3.0, 5.0, 7.0)).toSeq, Seq(1.0, 2.0, 3.0, 5.0))
    assertEquals(JavaWindows.deviation(1.0, 3.0), 1.0)
    assertEquals(JavaWindows.sumAfterEvicting(2, 1.0, 2.0, 4.0, 8.0), 12.0)
  }

  test("an operator of one's own") {
    assertEquals(JavaWindows.longestOfTwo(asList("aa", "b", "c", "dddd")), asList[Integer](2, 2, 1, 4))
  }

  test("an operator with a comparator") {
    assertEquals(JavaWindows.greatest(asList("b", "c", "a")), "c")
  }

  test("a question put to a state") {
    assert(JavaWindows.seenLately(42L, 7L, 42L, 9L))
    assert(!JavaWindows.seenLately(43L, 7L, 42L, 9L))
  }

  test("elements out of order") {
    assertEquals(
      JavaWindows.longestByTime(Array(3L, 1L, 2L), Array("a", "bbb", "cc"), 2L),
      2
    )
  }
}
