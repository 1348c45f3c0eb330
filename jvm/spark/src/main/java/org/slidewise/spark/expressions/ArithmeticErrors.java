package org.slidewise.spark.expressions;

import org.apache.spark.sql.catalyst.expressions.BinaryArithmetic;
import org.apache.spark.sql.catalyst.expressions.EvalMode$;
import org.apache.spark.sql.catalyst.expressions.Expression;

/** Written in Java because Spark keeps the mode to subclasses, which Scala respects. */
public final class ArithmeticErrors {
  private ArithmeticErrors() {}

  /**
   * Whether the expression is arithmetic that fails where it overflows or divides by zero, by the ANSI mode that it was analyzed
   * in.
   */
  public static boolean mayOccur(Expression e) {
    return e instanceof BinaryArithmetic
        && ((BinaryArithmetic) e).evalMode() == EvalMode$.MODULE$.ANSI();
  }
}
