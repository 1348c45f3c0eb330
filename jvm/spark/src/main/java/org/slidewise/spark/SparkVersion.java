package org.slidewise.spark;

import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slidewise.spark.config.BuiltFor;

/**
 * Compares the running versions of Spark and Scala with those that this jar is built for. Written in
 * Java so that it works on a Spark of another Scala version, too.
 */
public final class SparkVersion {
  private static final boolean SUPPORTED = check();

  private SparkVersion() {}

  /**
   * Whether this jar fits. If not, one warning in the log has named the versions that have a jar. If
   * it fits and was not tested on this patch, one line of the log has said so.
   */
  public static boolean isSupported() {
    return SUPPORTED;
  }

  private static boolean check() {
    return check(
        org.apache.spark.package$.MODULE$.SPARK_VERSION(),
        scala.util.Properties.versionNumberString());
  }

  /** Whether this jar fits these versions; logs the facts about them that a user should know. */
  static boolean check(String spark, String scalaVersion) {
    Logger log = LoggerFactory.getLogger(SparkVersion.class);
    if (!fits(spark, scalaVersion)) {
      log.warn(mismatch(spark, scalaVersion));
      return false;
    }
    if (!isTested(spark)) {
      log.warn(untested(spark));
    }
    return true;
  }

  static boolean fits(String spark, String scalaVersion) {
    return spark.startsWith(BuiltFor.MINOR + ".") && scalaVersion.startsWith(BuiltFor.SCALA + ".");
  }

  static boolean isTested(String spark) {
    return Arrays.asList(BuiltFor.TESTED.split(", ")).contains(spark);
  }

  /** The line for a patch of Spark that this jar was not tested on. */
  static String untested(String spark) {
    return "Slidewise "
        + BuiltFor.VERSION
        + " is on, but was not tested on Spark "
        + spark
        + "; it was tested on "
        + BuiltFor.TESTED;
  }

  /** The warning for a Spark or Scala version that this jar is not built for. */
  static String mismatch(String spark, String scalaVersion) {
    return "Slidewise stays off: this jar is for Spark "
        + BuiltFor.MINOR
        + " with Scala "
        + BuiltFor.SCALA
        + ", this is Spark "
        + spark
        + " with Scala "
        + scalaVersion
        + "; there are jars for Spark "
        + BuiltFor.ALL;
  }
}
