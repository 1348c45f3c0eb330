package org.slidewise.spark.execution.streams

import scala.util.Random

import munit.FunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.execution.states.{FrameFunctions, StateCodec}
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.AggregateCall

class StateCodecSuite extends FunSuite {
  private val number = AttributeReference("number", LongType)()
  private val fraction = AttributeReference("fraction", DoubleType)()
  private val wide = AttributeReference("wide", DecimalType(38, 10))()
  private val narrow = AttributeReference("narrow", DecimalType(12, 2))()
  private val text = AttributeReference("text", StringType)()
  private val percentile =
    ApproximatePercentile(
      fraction,
      Literal(0.5),
      Literal(ApproximatePercentile.DEFAULT_PERCENTILE_ACCURACY),
      0,
      0
    )
  private val input = Seq(number, fraction, wide, narrow, text)

  private def row(random: Random): InternalRow = {
    def orNull(value: Any): Any = if (random.nextInt(5) == 0) null else value
    InternalRow(
      orNull(random.nextLong(1000L)),
      orNull(random.nextGaussian()),
      orNull(Decimal(BigDecimal(BigInt(90, random.self), 10), 38, 10)),
      orNull(Decimal(BigDecimal(random.nextInt(100000), 2), 12, 2)),
      orNull(UTF8String.fromString("text " * random.nextInt(4) + random.nextInt(9)))
    )
  }

  private val functions: Seq[(String, Seq[AggregateFunction])] = Seq(
    "fixed width" -> Seq(Sum(fraction), Count(Seq(number)), Average(fraction), VariancePop(fraction)),
    "narrow decimals" -> Seq(Max(narrow)),
    "wide decimals" -> Seq(Sum(wide), Max(wide), Average(wide)),
    "strings" -> Seq(Max(text), MinBy(text, number), First(text, ignoreNulls = true)),
    "objects" -> Seq(CollectList(number), CollectSet(text), percentile),
    "all together" -> Seq(Sum(fraction), Sum(wide), Max(text), CollectList(text), HyperLogLogPlusPlus(number))
  )

  private def fill(functions: Seq[AggregateFunction]) =
    new FrameFunctions(
      functions.map(f => AggregateCall(Families.of(f), None)),
      functions.indices,
      input,
      keepsStates = true
    )

  for ((name, functions) <- functions)
    test(s"$name: states of 0 to 40 rows answer the same after a round trip, alone and merged") {
      for (seed <- 0 to 40) {
        val random = new Random(seed)
        val frame = fill(functions)
        frame.prepareToMerge()
        val codec = new StateCodec(functions.map(Families.of))
        def state(rows: Int): InternalRow = {
          val state = frame.newState()
          (1 to rows).foreach(_ => frame.update(state, row(random)))
          state
        }
        def answers(state: InternalRow): Seq[Any] = {
          val results = new SpecificInternalRow(functions.map(_.dataType))
          frame.lower(state, results)
          functions.map(_.dataType).zipWithIndex.map { case (t, i) => String.valueOf(results.get(i, t)) }
        }
        val (left, right) = (state(seed), state(3))
        val bytes = codec.toBytes(left).clone()
        val copy = codec.fromBytes(bytes)
        assertEquals(answers(copy), answers(left))
        assertEquals(answers(frame.combine(copy, right)), answers(frame.combine(left, right)))
      }
    }
}
