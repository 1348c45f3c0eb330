package org.slidewise.spark.expressions;

/** Doubles as a mantissa times a power of two, for products beyond the range of double. Called from generated code. */
public final class ScaledDouble {
  /** The largest power of two by which a mantissa may be multiplied and stay a normal number. */
  private static final long SAFE = 1000;

  private ScaledDouble() {}

  /** The mantissa of `x`: in [1, 2) for normal numbers; `x` itself for 0 and infinity; NaN below 0. */
  public static double mantissa(double x) {
    return x < 0 ? Double.NaN : Math.scalb(Math.abs(x), -Math.getExponent(x));
  }

  public static long exponent(double x) {
    return Math.getExponent(x);
  }

  /** The `count`-th root of `mantissa * 2^exponent`. */
  public static double root(double mantissa, long exponent, long count) {
    long whole = Math.floorDiv(exponent, count);
    long rest = Math.floorMod(exponent, count);
    double root =
        rest <= SAFE
            ? Math.pow(Math.scalb(mantissa, (int) rest), 1.0 / count)
            : Math.pow(mantissa, 1.0 / count) * Math.pow(2, (double) rest / count);
    double mean = Math.scalb(root, (int) Math.max(Math.min(whole, 3000), -3000));
    // Only the last digit's rounding can lead past the greatest number.
    return Double.isInfinite(mean) && !Double.isInfinite(mantissa) ? Double.MAX_VALUE : mean;
  }
}
