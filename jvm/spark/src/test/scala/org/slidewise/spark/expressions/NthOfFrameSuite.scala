package org.slidewise.spark.expressions

import munit.ScalaCheckSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, BindReferences}
import org.apache.spark.sql.types.LongType
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

/** What [[AggregateLawsSuite]] does not say of it: which value is the result, and how many values a buffer holds. */
class NthOfFrameSuite extends ScalaCheckSuite {
  private val input = AttributeReference("v", LongType)()
  private val values = Gen.listOf(Gen.oneOf[Any](null, 1L, 2L, 3L, 4L))
  private val functions = for {
    n <- Gen.choose(1, 7)
    fromEnd <- Gen.oneOf(true, false)
    ignoreNulls <- Gen.oneOf(true, false)
  } yield BindReferences.bindReference(NthOfFrame(input, n, fromEnd, ignoreNulls), Seq(input))

  private def bufferOf(of: NthOfFrame, frame: Seq[Any]) =
    frame.foldLeft(of.createAggregationBuffer())((buffer, value) => of.update(buffer, InternalRow(value)))

  private def expected(of: NthOfFrame, frame: Seq[Any]): Any = {
    val counted = if (of.ignoreNulls) frame.filter(_ != null) else frame
    (if (of.fromEnd) counted.reverse else counted).lift(of.n - 1).orNull
  }

  property("the result is the n-th value from the start or the end, in one buffer, merged and read again") {
    forAll(functions, values, values) { (of, older, newer) =>
      val merged = of.merge(bufferOf(of, older), of.deserialize(of.serialize(bufferOf(of, newer))))
      of.eval(bufferOf(of, older)) == expected(of, older) && of.eval(merged) == expected(of, older ++ newer)
    }
  }

  property("a buffer goes on after a merge and after it has been read again, and holds at most n values") {
    forAll(functions, values, values) { (of, older, newer) =>
      val read = of.deserialize(of.serialize(of.merge(bufferOf(of, older), bufferOf(of, newer))))
      older.foreach(value => of.update(read, InternalRow(value)))
      read.size <= of.n && of.eval(read) == expected(of, older ++ newer ++ older)
    }
  }
}
