package org.slidewise.spark.plan;

/** How a value may differ when a task computes it again, from rows in another order. */
public enum Variation {
  /** Not at all. */
  NONE,
  /** Where it depends on which of the rows that tie comes first. */
  TIES,
  /** In the last digits of a floating-point number. */
  DIGITS,
  /** In any way. */
  VALUE;

  /** The greater of two. */
  public static Variation max(Variation a, Variation b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
