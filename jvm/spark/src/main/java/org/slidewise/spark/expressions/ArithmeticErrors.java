package org.slidewise.spark.expressions;

import org.apache.spark.sql.catalyst.expressions.BinaryArithmetic;
import org.apache.spark.sql.catalyst.expressions.EvalMode$;

/** Written in Java because Spark keeps the mode to subclasses, which Scala respects. */
public final class ArithmeticErrors {
  private ArithmeticErrors() {}

  /** Whether the operation fails where it overflows or divides by zero, in the ANSI mode that it was analyzed in. */
  public static boolean mayOccur(BinaryArithmetic operation) {
    return operation.evalMode() == EvalMode$.MODULE$.ANSI();
  }
}
