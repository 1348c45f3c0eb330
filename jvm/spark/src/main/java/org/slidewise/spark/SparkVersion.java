package org.slidewise.spark;

import org.slf4j.LoggerFactory;
import org.slidewise.spark.config.BuiltFor;

/**
 * The Spark that runs, against the Spark that this jar was made for. Written in Java so that it works
 * on a Spark of another Scala version, too.
 */
public final class SparkVersion {
  private static final boolean SUPPORTED = check();

  private SparkVersion() {}

  /** Whether this jar fits. If not, one warning has said what would. */
  public static boolean isSupported() {
    return SUPPORTED;
  }

  private static boolean check() {
    var running = org.apache.spark.package$.MODULE$.SPARK_VERSION();
    var fits = running.startsWith(BuiltFor.MINOR + ".");
    if (!fits) {
      LoggerFactory.getLogger(SparkVersion.class).warn(mismatch(running));
    }
    return fits;
  }

  /** What is wrong, and which versions there are jars for. */
  static String mismatch(String running) {
    return "Slidewise stays off: this jar is for Spark "
        + BuiltFor.MINOR
        + ", this is Spark "
        + running
        + "; there are jars for Spark "
        + BuiltFor.ALL_MINORS;
  }
}
