package org.slidewise.tests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Counts the operators of all plans by name, Slidewise's and Spark's for windows, and writes them to the file that the system
 * property {@code slidewise.planned} names when the JVM ends. If adaptive execution has run no plan, as in suites that only
 * plan their queries, it counts those that it was given.
 */
public final class PlannedOperators extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  private static final Map<String, Integer> COUNTS = new TreeMap<>();
  private static final Map<String, Integer> BEFORE_EXECUTION = new TreeMap<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(PlannedOperators::write));
  }

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectColumnar(session -> new Columnar());
    extensions.injectQueryStagePrepRule(session -> new Counting(BEFORE_EXECUTION));
    return BoxedUnit.UNIT;
  }

  private static synchronized void count(SparkPlan operator, Map<String, Integer> counts) {
    String name = operator.getClass().getName();
    if (name.startsWith("org.slidewise.") || name.startsWith("org.apache.spark.sql.execution.window."))
      counts.merge(operator.nodeName().split(" ")[0], 1, Integer::sum);
  }

  private static synchronized void write() {
    Map<String, Integer> counts = COUNTS.isEmpty() ? BEFORE_EXECUTION : COUNTS;
    String lines =
        counts.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining("\n"));
    try {
      Files.write(Path.of(System.getProperty("slidewise.planned")), lines.getBytes());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static final class Columnar extends ColumnarRule {
    @Override
    public Rule<SparkPlan> postColumnarTransitions() {
      return new Counting(COUNTS);
    }
  }

  private static final class Counting extends Rule<SparkPlan> {
    private final Map<String, Integer> counts;

    Counting(Map<String, Integer> counts) {
      this.counts = counts;
    }

    @Override
    public SparkPlan apply(SparkPlan plan) {
      plan.foreach(
          operator -> {
            count(operator, counts);
            return BoxedUnit.UNIT;
          });
      return plan;
    }
  }
}
