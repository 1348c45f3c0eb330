package org.slidewise.core.example;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slidewise.core.Aggregator;
import org.slidewise.core.windows.WindowAlgorithm;
import org.slidewise.core.windows.DoubleWindow;
import org.slidewise.core.windows.LongWindow;
import org.slidewise.core.operators.Operators;
import org.slidewise.core.SlidingAggregator;
import org.slidewise.core.windows.TimedWindow;
import org.slidewise.core.operators.ArgMax;
import org.slidewise.core.operators.Bloom;

/** The core as a Java program uses it: plain generics, no Scala type in sight. */
public final class JavaWindows {

  private JavaWindows() {}

  /** An operator of one's own: the longest word, and of equally long ones the newest. */
  public static final class Longest implements Aggregator<String, String, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public String identity() {
      return "";
    }

    @Override
    public String lift(String in) {
      return in;
    }

    @Override
    public String combine(String older, String newer) {
      return older.length() > newer.length() ? older : newer;
    }

    @Override
    public Integer lower(String agg) {
      return agg.length();
    }
  }

  /** The mean of each three readings in a row, nothing boxed. */
  public static double[] movingMeans(double[] readings) {
    DoubleWindow window = WindowAlgorithm.twoStacksLite().window(Operators.mean());
    double[] means = new double[readings.length];
    for (int i = 0; i < readings.length; i++) {
      if (window.size() == 3) window.evict();
      window.insert(readings[i]);
      means[i] = window.query();
    }
    return means;
  }

  public static List<Integer> longestOfTwo(List<String> words) {
    SlidingAggregator<String, Integer> window = WindowAlgorithm.dabaLite().chunked().window(new Longest());
    List<Integer> lengths = new ArrayList<>();
    for (String word : words) {
      if (window.size() == 2) window.evict();
      window.insert(word);
      lengths.add(window.query());
    }
    return lengths;
  }

  public static String greatest(List<String> words) {
    SlidingAggregator<String, String> window = WindowAlgorithm.daba().window(ArgMax.by(Comparator.<String>naturalOrder()));
    words.forEach(window::insert);
    return window.query();
  }

  public static double deviation(double... values) {
    DoubleWindow window = WindowAlgorithm.flatFit().window(Operators.populationStddev());
    for (double value : values) window.insert(value);
    return window.query();
  }

  public static double sumAfterEvicting(int count, double... values) {
    DoubleWindow window = WindowAlgorithm.subtractOnEvict().window(Operators.sum());
    for (double value : values) window.insert(value);
    window.evict(count);
    return window.query();
  }

  public static boolean seenLately(long wanted, long... ids) {
    Bloom bloom = new Bloom(4096, 4);
    LongWindow window = WindowAlgorithm.twoStacks().window(bloom);
    for (long id : ids) window.insert(id);
    return window.query((cells, at) -> bloom.mightContain(wanted, cells, at));
  }

  public static int longestByTime(long[] times, String[] words, long from) {
    TimedWindow<?, String, Integer> window = WindowAlgorithm.fiba().timedWindow(new Longest());
    for (int i = 0; i < times.length; i++) window.insert(times[i], words[i]);
    window.evictBefore(from);
    return window.query();
  }
}
