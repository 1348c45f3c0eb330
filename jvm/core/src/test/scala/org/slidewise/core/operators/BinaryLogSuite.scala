package org.slidewise.core.operators

import java.util.SplittableRandom
import munit.FunSuite

class BinaryLogSuite extends FunSuite {

  private val random = new SplittableRandom(3)
  private val ln2 = StrictMath.log(2)

  /** Any positive double but for the least: its exponent is uniform. */
  private def positive: Double =
    StrictMath.scalb(1 + random.nextDouble(), random.nextInt(-1022, 1024))

  test("log2 is off by no more than two units in the last place of its result or 1") {
    val near1 = Iterator.fill(200000)(random.nextDouble(0.5, 2))
    (Iterator.fill(200000)(positive) ++ near1).foreach { x =>
      val expected = StrictMath.log(x) / ln2
      val off = math.abs(BinaryLog.log2(x) - expected)
      assert(off <= 2 * math.ulp(math.max(math.abs(expected), 1)), s"log2($x) is off by $off")
    }
  }

  test("exp2 is off by no more than two units in the last place") {
    Iterator.fill(400000)(random.nextDouble(-1022, 1023)).foreach { y =>
      val expected = StrictMath.pow(2, y)
      val off = math.abs(BinaryLog.exp2(y) - expected)
      assert(off <= 2 * math.ulp(expected), s"exp2($y) is off by ${off / math.ulp(expected)} ulp")
    }
  }

  test("powers of two are exact, both ways, the least and the greatest too") {
    (-1074 to 1023).foreach { e =>
      val power = StrictMath.scalb(1.0, e)
      assertEquals(math.rint(BinaryLog.log2(power)), e.toDouble)
      if (e >= -1022) assertEquals(BinaryLog.log2(power), e.toDouble)
      assertEquals(BinaryLog.exp2(e.toDouble), power)
    }
  }

  test("what has no logarithm, or none that is finite, is as in java.lang.Math") {
    Seq(0.0, -0.0, -1.0, Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity).foreach { x =>
      assertEqualsDouble(BinaryLog.log2(x), math.log(x), 0)
    }
    Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, 1024.0, -1075.0).foreach { y =>
      assertEqualsDouble(BinaryLog.exp2(y), math.pow(2, y), 0)
    }
  }

  test("numbers next to 1 keep their logarithm's leading digits") {
    Seq(1e-3, 1e-8, 1e-15).flatMap(d => Seq(1 + d, 1 - d)).foreach { x =>
      val expected = StrictMath.log1p(x - 1) / ln2
      assert(math.abs(BinaryLog.log2(x) / expected - 1) < 1e-13, s"log2($x) is ${BinaryLog.log2(x)}")
    }
  }
}
