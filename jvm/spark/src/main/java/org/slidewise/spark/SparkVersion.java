package org.slidewise.spark;

import org.slf4j.LoggerFactory;
import org.slidewise.spark.config.BuiltFor;

/**
 * Compares the running Spark version with the one that this jar is built for. Written in Java so that
 * it works on a Spark of another Scala version, too.
 */
public final class SparkVersion {
  private static final boolean SUPPORTED = check();

  private SparkVersion() {}

  /** Whether this jar fits. If not, one warning in the log has named the versions that have a jar. */
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

  /** The warning for a Spark version that this jar is not built for. */
  static String mismatch(String running) {
    return "Slidewise stays off: this jar is for Spark "
        + BuiltFor.MINOR
        + ", this is Spark "
        + running
        + "; there are jars for Spark "
        + BuiltFor.ALL_MINORS;
  }
}
