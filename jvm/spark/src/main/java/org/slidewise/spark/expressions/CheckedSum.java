package org.slidewise.spark.expressions;

import java.math.BigInteger;

import org.apache.spark.sql.catalyst.util.IntervalMathUtils;
import org.apache.spark.sql.catalyst.util.MathUtils;
import org.apache.spark.sql.types.Decimal;

/** Converts sums that were kept in more digits to their type; Spark's overflow error past its end. Called from generated code. */
public final class CheckedSum {
  private CheckedSum() {}

  public static long toLong(Decimal sum) {
    BigInteger exact = sum.toJavaBigInteger();
    return fits(exact, Long.SIZE) ? exact.longValue() : MathUtils.addExact(Long.MAX_VALUE, 1L);
  }

  public static long toDayTimeInterval(Decimal sum) {
    BigInteger exact = sum.toJavaBigInteger();
    return fits(exact, Long.SIZE) ? exact.longValue() : IntervalMathUtils.addExact(Long.MAX_VALUE, 1L);
  }

  public static int toYearMonthInterval(Decimal sum) {
    BigInteger exact = sum.toJavaBigInteger();
    return fits(exact, Integer.SIZE) ? exact.intValue() : IntervalMathUtils.addExact(Integer.MAX_VALUE, 1);
  }

  private static boolean fits(BigInteger exact, int bits) {
    return exact.bitLength() < bits;
  }
}
