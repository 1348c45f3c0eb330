package org.slidewise.spark.expressions;

import java.math.BigInteger;

import org.apache.spark.sql.catalyst.util.IntervalMathUtils;
import org.apache.spark.sql.catalyst.util.MathUtils;
import org.apache.spark.sql.types.Decimal;

/** Whole numbers that were added up in more digits, in those of their type, or Spark's own error. Called from generated code. */
public final class Fitting {
  private Fitting() {}

  public static long whole(Decimal sum) {
    BigInteger exact = sum.toJavaBigInteger();
    return fits(exact, Long.SIZE) ? exact.longValue() : MathUtils.addExact(Long.MAX_VALUE, 1L);
  }

  public static long interval(Decimal sum) {
    BigInteger exact = sum.toJavaBigInteger();
    return fits(exact, Long.SIZE) ? exact.longValue() : IntervalMathUtils.addExact(Long.MAX_VALUE, 1L);
  }

  public static int months(Decimal sum) {
    BigInteger exact = sum.toJavaBigInteger();
    return fits(exact, Integer.SIZE) ? exact.intValue() : IntervalMathUtils.addExact(Integer.MAX_VALUE, 1);
  }

  private static boolean fits(BigInteger exact, int bits) {
    return exact.bitLength() < bits;
  }
}
