package org.slidewise.spark.expressions

import scala.util.Random

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, SpecificInternalRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.HyperLogLogPlusPlus
import org.apache.spark.sql.types.LongType

class RegisterEstimateSuite extends FunSuite {
  private val offset = 3

  for (error <- Seq(0.39, 0.25, 0.2, 0.1, 0.05, 0.02, 0.01, 0.007, 0.005))
    test(s"the estimate from few values to many is Spark's, at an error of $error") {
      val function = at(error)
      val estimate = RegisterEstimate(function)
      val random = new Random(3)
      val state = emptyFor(function)
      val until = if (error < 0.01) 5e5 else 1e5
      var values, next = 0.0
      while (values < until) {
        while (values < next) {
          function.update(state, InternalRow(random.nextLong()))
          values += 1
        }
        assertEquals(estimate.eval(state), function.eval(state), s"after $values values")
        next = math.max(values + 1, values * 1.05)
      }
    }

  test("the estimate from any registers is Spark's") {
    val function = at(0.05)
    val random = new Random(5)
    for (most <- 1 to 64; _ <- 0 until 20) {
      val state = emptyFor(function)
      for (register <- 0 until 512) {
        val word = offset + register / 10
        state.setLong(word, state.getLong(word) | random.nextInt(most).toLong << 6 * (register % 10))
      }
      assertEquals(RegisterEstimate(function).eval(state), function.eval(state))
    }
  }

  private def at(error: Double) =
    new HyperLogLogPlusPlus(BoundReference(0, LongType, nullable = false), error)
      .withNewMutableAggBufferOffset(offset)
      .asInstanceOf[HyperLogLogPlusPlus]

  private def emptyFor(function: HyperLogLogPlusPlus) = new SpecificInternalRow(
    Seq.fill(offset + function.hllppHelper.numWords)(LongType)
  )
}
