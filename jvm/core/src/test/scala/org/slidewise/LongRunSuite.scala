package org.slidewise

import munit.{FunSuite, Location, TestOptions}

class LongRunSuite extends FunSuite {

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

  private class Example(first: Int) extends FunSuite {
    (0 until 100).foreach(i => test(s"case $i") {})
    test("no cases") {}
    (0 until 9).foreach(i =>
      test(new TestOptions(s"marked $i", if (i == 3) Set.empty else Set(LongRun), Location.empty)) {}
    )
    def short: Seq[String] = SomeCases.of(munitTests(), first).filterNot(_.tags(LongRun)).map(_.name)
  }

  test("a short run has some cases of each line, and five projects have all of them") {
    val each = (0 until 5).map(new Example(_).short)
    assertEquals(each.map(_.filterNot(_.startsWith("case"))), Seq.fill(5)(Seq("no cases", "marked 3")))
    each.foreach(names => assert(names.size > 8 && names.size < 40, names))
    assertEquals(each.flatten.filter(_.startsWith("case")).sorted, (0 until 100).map(i => s"case $i").sorted)
  }
}
