package org.slidewise.spark.shims;

import org.apache.spark.QueryContext;
import org.apache.spark.api.python.PythonException;

/** Errors of Python workers. Written in Java because Spark keeps their class private to its own Scala packages. */
public final class PythonErrors {
  private PythonErrors() {}

  public static boolean isOfWorker(Throwable error) {
    return error instanceof PythonException;
  }

  /** The error with a different message. */
  public static RuntimeException withMessage(Throwable error, String message) {
    return new PythonException(
        message,
        error.getCause(),
        scala.Option.empty(),
        scala.collection.immutable.Map$.MODULE$.empty(),
        new QueryContext[0]);
  }
}
