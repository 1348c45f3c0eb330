package org.slidewise.spark.plan;

/** The degree to which a value may differ when a task computes it from the same rows in another order. */
public enum OrderSensitivity {
  /** The value does not differ. */
  NONE,
  /** The value differs only where it depends on which of several tied rows comes first. */
  TIES,
  /** The value may differ in the last digits of a floating-point number. */
  DIGITS,
  /** The value may differ in any way. */
  VALUE;

  /** The greater of two degrees. */
  public static OrderSensitivity max(OrderSensitivity a, OrderSensitivity b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
