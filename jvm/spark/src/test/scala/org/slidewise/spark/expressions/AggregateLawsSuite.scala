package org.slidewise.spark.expressions

import munit.ScalaCheckSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Count, Sum}
import org.apache.spark.sql.types.{DoubleType, LongType}
import org.scalacheck.Prop.forAll
import org.scalacheck.{Gen, Shrink, Test => Check}

/** The laws of every registered aggregate function. A new function is covered by its registration. */
class AggregateLawsSuite extends ScalaCheckSuite {
  import AggregateSteps.same

  override def scalaCheckTestParameters: Check.Parameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(25)

  implicit private val noShrink: Shrink[List[InternalRow]] = Shrink.shrinkAny

  private val aggregates =
    SqlFunctions.all.filter(f =>
      classOf[AggregateFunction].isAssignableFrom(Class.forName(f.info.getClassName))
    )
  private val calls = aggregates.map(f => f.name -> RandomCalls.of(f))

  test("aggregate functions are registered, and each has calls to hold to the laws") {
    assert(aggregates.size > 20)
    assertEquals(calls.collect { case (name, Seq()) => name }, Nil)
  }

  for ((_, found) <- calls; call <- found) laws(call)

  // Not registered: SQL reaches them by DISTINCT, and by `nth_value`, `lag` and `lead`.
  for (
    function <- Seq[Seq[Expression] => AggregateFunction](
      columns => DistinctAggregate(Count(columns)),
      columns => DistinctAggregate(Sum(columns.head)),
      columns => NthOfFrame(columns.head, 3, fromEnd = false, ignoreNulls = false),
      columns => NthOfFrame(columns.head, 2, fromEnd = true, ignoreNulls = true)
    )
  ) {
    val input = Seq(AttributeReference("n", LongType)(), AttributeReference("d", DoubleType)())
    val values = Seq[Gen[Any]](
      Gen.oneOf[Any](null, 1L, 2L, 3L),
      Gen.oneOf[Any](null, 0.0, -0.0, 2.5, Double.NaN)
    )
    laws(
      RandomCall(
        function(input),
        input,
        Gen.sequence[Seq[Any], Any](values).map(InternalRow.fromSeq)
      )
    )
  }

  private def laws(call: RandomCall): Unit = {
    val steps = AggregateSteps(call.function, call.input)
    val rows = Gen.choose(0, 6).flatMap(Gen.listOfN(_, call.rows))
    import steps._

    property(s"$call: merge is associative") {
      forAll(rows, rows, rows) { (x, y, z) =>
        val (a, b, c) = (bufferOf(x), bufferOf(y), bufferOf(z))
        same(result(merged(a, merged(b, c))), result(merged(merged(a, b), c)))
      }
    }

    property(s"$call: the empty buffer is neutral on both sides") {
      forAll(rows) { x =>
        val a = bufferOf(x)
        same(result(merged(empty, a)), result(a)) && same(result(merged(a, empty)), result(a))
      }
    }

    property(s"$call: a merge answers as the older rows followed by the newer") {
      forAll(rows, rows)((x, y) => same(result(merged(bufferOf(x), bufferOf(y))), resultOf(x ++ y)))
    }

    property(s"$call: evaluating and copying a buffer change nothing") {
      forAll(rows, rows) { (x, y) =>
        val buffer = bufferOf(x)
        val before = result(buffer)
        val copied = copy(buffer)
        y.foreach(update(copied, _))
        same(result(buffer), before) && same(result(copied), resultOf(x ++ y))
      }
    }

    call.function match {
      case _: NonMutatingMerge =>
        property(s"$call: merge does not change its second argument, as declared") {
          forAll(rows, rows, rows) { (x, y, z) =>
            val (older, newer) = (bufferOf(x), bufferOf(y))
            merge(older, newer)
            val unchanged = same(result(newer), resultOf(y))
            z.foreach(update(older, _))
            unchanged && same(result(newer), resultOf(y))
          }
        }
      case _ => ()
    }

    call.function match {
      case ordered: OrderDependent if ordered.requiresOrder =>
        test(s"$call: depends on the order, as declared") {
          val samples = (0 until 200).map(i => (call.sample(4, 2L * i), call.sample(4, 2L * i + 1)))
          assert(samples.exists { case (x, y) => !same(resultOf(x ++ y), resultOf(y ++ x)) })
        }
      case _: OrderDependent => ()
      case _                 =>
        property(s"$call: does not depend on the order, as declared") {
          forAll(rows, rows)((x, y) =>
            same(result(merged(bufferOf(x), bufferOf(y))), result(merged(bufferOf(y), bufferOf(x))))
          )
        }
    }
  }
}
