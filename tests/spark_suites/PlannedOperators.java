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
 * property {@code slidewise.planned} names when the JVM ends.
 */
public final class PlannedOperators extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  private static final Map<String, Integer> COUNTS = new TreeMap<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(PlannedOperators::write));
  }

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectColumnar(session -> new Counting());
    return BoxedUnit.UNIT;
  }

  private static synchronized void count(SparkPlan operator) {
    String name = operator.getClass().getName();
    if (name.startsWith("org.slidewise.") || name.startsWith("org.apache.spark.sql.execution.window."))
      COUNTS.merge(operator.nodeName().split(" ")[0], 1, Integer::sum);
  }

  private static synchronized void write() {
    String lines =
        COUNTS.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining("\n"));
    try {
      Files.write(Path.of(System.getProperty("slidewise.planned")), lines.getBytes());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static final class Counting extends ColumnarRule {
    @Override
    public Rule<SparkPlan> postColumnarTransitions() {
      return new Rule<SparkPlan>() {
        @Override
        public SparkPlan apply(SparkPlan plan) {
          plan.foreach(
              operator -> {
                count(operator);
                return BoxedUnit.UNIT;
              });
          return plan;
        }
      };
    }
  }
}
