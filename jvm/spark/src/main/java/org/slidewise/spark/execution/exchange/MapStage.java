package org.slidewise.spark.execution.exchange;

import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.util.ThreadUtils;
import scala.concurrent.Future;
import scala.concurrent.duration.Duration;

/**
 * The stage that writes a shuffle. Written in Java because Spark keeps these methods private to its own
 * Scala packages.
 */
final class MapStage {
  private MapStage() {}

  /** Starts the stage. Returns its statistics, whose type is private, too. */
  @SuppressWarnings("unchecked")
  static <T> Future<T> submit(SparkContext context, ShuffleDependency<?, ?, ?> shuffle) {
    return (Future<T>) (Future<?>) context.submitMapStage(shuffle);
  }

  /** Waits for the stage, and fails with its error, as a job does. */
  static void await(Future<?> stage) throws SparkException {
    ThreadUtils.awaitReady(stage, Duration.Inf());
    stage.value().get().get();
  }
}
