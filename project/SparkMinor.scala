import java.io.File
import sbt._

/**
 * A Spark minor version that Slidewise is built for: where its jars come from.
 *
 * Catalyst is not binary compatible between minors, so there is one jar a minor, compiled from one source
 * (`jvm/spark/src`) and one small folder of differences (`jvm/spark/shims/<minor>`). Supporting another minor is
 * such a folder and a line in [[SparkMinor.all]].
 */
sealed trait SparkMinor {
  def minor: String

  /** The sbt project's name. */
  def project: String = s"spark${minor.replace(".", "")}"
}

object SparkMinor {

  /** A minor whose jars are on Maven Central. */
  final case class FromMaven(minor: String, version: String) extends SparkMinor

  /**
   * A minor that is published as a Python package only: its jars are the `jars/` folder of an installed pyspark,
   * named by the environment variable `SLIDEWISE_SPARK_<MAJOR>_<MINOR>_JARS` or found in `.venv`.
   */
  final case class FromPyspark(minor: String) extends SparkMinor {
    private val variable = s"SLIDEWISE_SPARK_${minor.replace('.', '_')}_JARS"

    def jars(root: File): Seq[File] = {
      val folder = sys.env
        .get(variable)
        .map(file)
        .orElse(inVenv(root))
        .getOrElse(
          sys.error(
            s"No jars of Spark $minor: run `make .venv`, or set $variable to the jars folder of a pyspark $minor"
          )
        )
      val found = (folder ** "*.jar").get
      if (!found.exists(_.getName.startsWith(s"spark-sql_2.13-$minor.")))
        sys.error(
          s"$folder holds no spark-sql_2.13-$minor.*.jar: $variable must name the jars of Spark $minor"
        )
      found
    }

    private def inVenv(root: File): Option[File] =
      (root / ".venv" / "lib" * "python*" / "site-packages" / "pyspark" / "jars").get.headOption
  }

  /** The one that `.venv` has. */
  val ofPyspark: FromPyspark = FromPyspark("4.3")

  val all: Seq[SparkMinor] = Seq(FromMaven("4.2", "4.2.0"), ofPyspark)
}
