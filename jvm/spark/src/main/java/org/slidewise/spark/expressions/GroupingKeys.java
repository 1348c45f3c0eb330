package org.slidewise.spark.expressions;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;

/**
 * Grouping expressions as Spark's planner writes them. Written in Java because Spark keeps the method private to its own Scala
 * packages.
 */
public final class GroupingKeys {
  private GroupingKeys() {}

  /** The expression with one representation for values that are equal: of NaN, and of zero. */
  public static Expression normalized(Expression key) {
    return NormalizeFloatingNumbers$.MODULE$.normalize(key);
  }

  /** Whether values that are equal have one representation already: whether the key has no floating-point numbers. */
  public static boolean isNormal(Expression key) {
    return normalized(key) == key;
  }
}
