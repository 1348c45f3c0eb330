package org.slidewise.core.example;

import org.slidewise.core.summaries.AdditiveCount;
import org.slidewise.core.summaries.AdditiveSum;
import org.slidewise.core.summaries.DyadicDigest;
import org.slidewise.core.summaries.Estimate;
import org.slidewise.core.summaries.RangeSum;
import org.slidewise.core.summaries.SplittableHistogram;
import org.slidewise.core.summaries.TimestampSummary;

/** The summaries as a Java program uses them. */
public final class JavaSummaries {

  private JavaSummaries() {}

  public static double ones(long window, double epsilon, boolean... bits) {
    AdditiveCount count = AdditiveCount.create(window, epsilon);
    for (boolean bit : bits) count.insert(bit);
    return AdditiveCount.fromBytes(count.toBytes()).estimate();
  }

  public static double sum(long window, long upperBound, double epsilon, long... values) {
    AdditiveSum sum = AdditiveSum.create(window, upperBound, epsilon);
    for (long value : values) sum.insert(value);
    return AdditiveSum.fromBytes(sum.toBytes()).estimate();
  }

  public static double mean(long window, double low, double high, double epsilon, double... values) {
    RangeSum sum = RangeSum.create(window, low, high, epsilon);
    for (double value : values) sum.insert(value);
    return sum.mean();
  }

  public static Estimate inLastHour(long now, long[] here, long[] there) {
    return count(DyadicDigest.create(86_400, 0.05), DyadicDigest.create(86_400, 0.05), now, here, there);
  }

  public static Estimate inLastHourByLevels(long now, long[] here, long[] there) {
    return count(
        SplittableHistogram.create(86_400, 0.05), SplittableHistogram.create(86_400, 0.05), now, here, there);
  }

  private static <S extends TimestampSummary<S>> Estimate count(
      S summary, S other, long now, long[] here, long[] there) {
    for (long time : here) summary.insert(time);
    for (long time : there) other.insert(time);
    summary.merge(other);
    summary.advanceTo(now);
    return summary.query(3_600);
  }
}
