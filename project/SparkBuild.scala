import java.io.File
import sbt._

/**
 * One jar of Slidewise: the Spark minor and the Scala version that it is compiled for.
 *
 * Catalyst is not binary compatible between minors, so there is one jar a minor and Scala version, compiled from one source
 * (`jvm/spark/src`) and the folders of `jvm/spark/shims` that belong to the minor. It is compiled against the minor's
 * first patch and with its Scala release, so that it uses nothing that an older patch lacks. Supporting another minor is a line
 * in [[SparkBuild.all]] and what the compiler then asks for in `shims`.
 *
 * @param minor
 *   as in `3.5`
 * @param scala
 *   the whole version, as in `2.12.18`
 * @param java
 *   the oldest Java version that this Spark runs on
 * @param tested
 *   the patches that `make test-matrix` runs on: the first and the last
 * @param jars
 *   where Spark's jars come from
 */
final case class SparkBuild(
    minor: String,
    scala: String,
    java: String,
    tested: Seq[String],
    jars: SparkJars
) {

  /** As in `2.12`. */
  val scalaBinary: String = scala.split('.').take(2).mkString(".")

  /** The sbt project's name: `spark43`, or `spark35_2_12` for a minor that two Scala versions have. */
  def project: String = {
    val scalas = SparkBuild.all.count(_.minor == minor)
    s"spark${minor.replace(".", "")}" + (if (scalas == 1) "" else s"_${scalaBinary.replace('.', '_')}")
  }

  /** The state of Spark 3.5's operators does not suffice for windows over streams. */
  def hasStreams: Boolean = !SparkBuild.isBefore(minor, "4.0")

  /**
   * The source folders that this jar is compiled from, below `jvm/spark`: what all minors share, the streams, and of the shims
   * its own and those named `since-<minor>` and `before-<minor>` that it falls under.
   */
  def folders(root: File): Seq[File] = {
    val shims = IO.listFiles(root / "shims").filter(_.isDirectory).sortBy(_.getName)
    val ranges = shims.filter { folder =>
      folder.getName match {
        case SparkBuild.Since(first)  => !SparkBuild.isBefore(minor, first)
        case SparkBuild.Before(first) => SparkBuild.isBefore(minor, first)
        case own                      => own == minor
      }
    }
    Seq(root / "src") ++ (if (hasStreams) Some(root / "streams") else None) ++ ranges
  }
}

/** Source of the jars of a Spark version. */
sealed trait SparkJars

object SparkJars {

  /** A version that is on Maven Central. */
  final case class FromMaven(version: String) extends SparkJars

  /**
   * A minor that is published as a Python package only: its jars are the `jars/` folder of an installed pyspark,
   * named by the environment variable `SLIDEWISE_SPARK_<MAJOR>_<MINOR>_JARS` or found in `.venv`.
   */
  final case class FromPyspark(minor: String) extends SparkJars {
    private val variable = s"SLIDEWISE_SPARK_${minor.replace('.', '_')}_JARS"

    def files(root: File): Seq[File] = {
      val folder = sys.env
        .get(variable)
        .map(file)
        .orElse(inVenv(root))
        .getOrElse(
          sys.error(
            s"No jars of Spark $minor: run `make jars`, or set $variable to the jars folder of a pyspark $minor"
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
}

object SparkBuild {
  private val Since = """since-(\d+\.\d+)""".r
  private val Before = """before-(\d+\.\d+)""".r

  private def isBefore(minor: String, other: String): Boolean = {
    val Array(a, b) = minor.split('.').map(_.toInt)
    val Array(c, d) = other.split('.').map(_.toInt)
    a < c || a == c && b < d
  }

  val pyspark: SparkJars.FromPyspark = SparkJars.FromPyspark("4.3")

  /** The one that `.venv` has. */
  val ofPyspark: SparkBuild = SparkBuild(pyspark.minor, Versions.scala, "17", Seq("4.3.0"), pyspark)

  // The value below is lazy because a build's project name looks at all of them.
  lazy val all: Seq[SparkBuild] = Seq(
    SparkBuild("3.5", "2.12.18", "8", Seq("3.5.0", "3.5.9"), SparkJars.FromMaven("3.5.0")),
    SparkBuild("3.5", "2.13.8", "8", Seq("3.5.0", "3.5.8"), SparkJars.FromMaven("3.5.0")),
    SparkBuild("4.0", "2.13.16", "17", Seq("4.0.0", "4.0.5"), SparkJars.FromMaven("4.0.0")),
    SparkBuild("4.1", "2.13.17", "17", Seq("4.1.0", "4.1.4"), SparkJars.FromMaven("4.1.0")),
    SparkBuild("4.2", "2.13.18", "17", Seq("4.2.0", "4.2.1"), SparkJars.FromMaven("4.2.0")),
    ofPyspark
  )

  /** The versions that there are jars for, as in `3.5 (Scala 2.12, 2.13), 4.0 (Scala 2.13)`. */
  def inWords: String = all
    .map(_.minor)
    .distinct
    .map(minor => s"$minor (Scala ${all.filter(_.minor == minor).map(_.scalaBinary).mkString(", ")})")
    .mkString(", ")
}
