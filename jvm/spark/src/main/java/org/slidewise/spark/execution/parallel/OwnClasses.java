package org.slidewise.spark.execution.parallel;

import org.apache.spark.util.Utils;

/**
 * Values of Slidewise's classes that tasks return to the driver. Where a jar was added to a running session, Spark's threads for
 * results do not find its classes; they handle these bytes. Written in Java because Spark keeps its methods private to its own
 * Scala packages.
 */
final class OwnClasses {
  private OwnClasses() {}

  static <T> byte[] bytesOf(T value) {
    return Utils.serialize(value);
  }

  static <T> T valueOf(byte[] bytes) {
    return Utils.deserialize(bytes, OwnClasses.class.getClassLoader());
  }
}
