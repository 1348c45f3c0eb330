package org.slidewise.core.multisets

import scala.collection.immutable.TreeSet

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class PresentCodesSuite extends MultisetSuite {

  private val cases: Gen[(Int, List[Int])] = for {
    cardinality <- Gen.oneOf(1, 2, 63, 64, 65, 4095, 4096, 4097, 262144, 262145, 300000)
    near <- Gen.choose(0, cardinality - 1)
    code = Gen.oneOf(Gen.choose(0, cardinality - 1), Gen.choose(near, math.min(cardinality - 1, near + 70)))
    toggled <- Gen.listOfN(60, code)
  } yield (cardinality, toggled)

  private val present = new PresentCodes

  property("next and previous of any code, over sets of all depths, reused") {
    forAll(cases) { case (cardinality, toggled) =>
      present.reset(cardinality)
      var expected = TreeSet.empty[Int]
      for (code <- toggled) {
        if (expected(code)) {
          present.remove(code)
          expected -= code
        } else {
          present.add(code)
          expected += code
        }
        for (from <- Seq(0, cardinality / 2, code, cardinality - 1)) {
          expected.iteratorFrom(from).find(_ > from).foreach(assertEquals(present.next(from), _))
          expected.rangeUntil(from).lastOption.foreach(assertEquals(present.previous(from), _))
        }
      }
    }
  }

  test("one level for 64 codes, and one more for 64 times as many") {
    assertEquals(
      Seq(0, 1, 64, 65, 4096, 4097, 1 << 18, ColumnDictionary.MostRows).map(PresentCodes.depth),
      Seq(1, 1, 1, 2, 2, 3, 3, 5)
    )
  }
}
