package org.slidewise.spark

import org.apache.spark.SPARK_VERSION
import org.slf4j.LoggerFactory

/** The Spark that runs, against the Spark that this jar was made for. */
object SparkVersion {

  /** The minors that there is a jar for. */
  val supportedMinors: Seq[String] = BuiltFor.AllMinors

  private def minorOf(version: String): String = version.split('.').take(2).mkString(".")

  /** Whether this jar fits; if not, one warning says what would. */
  lazy val isSupported: Boolean = {
    val running = minorOf(SPARK_VERSION)
    val fits = running == BuiltFor.Minor
    if (!fits) {
      val advice =
        if (supportedMinors.contains(running)) s"take the jar slidewise-spark-${running}_2.13"
        else s"Slidewise supports Spark ${supportedMinors.mkString(", ")}"
      LoggerFactory
        .getLogger(getClass)
        .warn(
          s"Slidewise stays off: this jar is for Spark ${BuiltFor.Minor}, this is Spark $SPARK_VERSION; $advice"
        )
    }
    fits
  }
}
