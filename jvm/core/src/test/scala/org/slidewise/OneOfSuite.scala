package org.slidewise

import munit.{FunSuite, TestOptions}

class OneOfSuite extends FunSuite {

  private def short(n: Int, first: Int): Seq[Int] = {
    val one = new OneOf(n, first)
    (0 until 12).filter(i => !one(new TestOptions(i.toString)).tags(LongRun))
  }

  test("a short run has every n-th case, and n projects have all of them") {
    assertEquals(short(1, 3), (0 until 12).toSeq)
    assertEquals(short(4, 0), Seq(0, 4, 8))
    assertEquals(short(4, 1), Seq(3, 7, 11))
    assertEquals((0 until 5).flatMap(short(5, _)).sorted, (0 until 12).toSeq)
  }
}
