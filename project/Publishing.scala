import scala.xml.{Elem, Node}
import scala.xml.transform.{RewriteRule, RuleTransformer}

import com.typesafe.tools.mima.core.{Problem, ProblemFilters}
import com.typesafe.tools.mima.plugin.MimaPlugin.autoImport._
import sbt._
import sbt.Keys._

/** Publishing of the jars: the POM that Maven Central asks for, the staging folder, and the check of the public API. */
object Publishing {

  /** The Maven repository that `publish` writes, from which a release is uploaded. */
  val staging: File = file(".build/release/maven")

  private val Home = "https://github.com/slidewise/slidewise"

  /** The folder of earlier jars to compare with instead of the released ones, for a test of the check itself. */
  private val Baseline = "SLIDEWISE_API_BASELINE"

  val build: Seq[Setting[_]] = Seq(
    organizationName := "Slidewise",
    homepage := Some(url(Home)),
    licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0.txt")),
    developers := List(Developer("slidewise", "The Slidewise developers", "", url(Home))),
    scmInfo := Some(ScmInfo(url(Home), "scm:git:https://github.com/slidewise/slidewise.git")),
    versionScheme := Some("early-semver")
  )

  def published(what: String): Seq[Setting[_]] = Seq(
    description := what,
    publishMavenStyle := true,
    pomIncludeRepository := (_ => false),
    publishTo := Some(MavenCache("staging", (ThisBuild / baseDirectory).value / staging.getPath)),
    mimaFailOnNoPrevious := false
  ) ++ sys.env.get(Baseline).fold(releases)(baseline)

  private def releases: Seq[Setting[_]] = Seq(
    mimaPreviousArtifacts := Versions.released.map(organization.value %% moduleName.value % _).toSet
  )

  private def baseline(folder: String): Seq[Setting[_]] = Seq(
    mimaPreviousArtifacts := Set(organization.value %% moduleName.value % "baseline"),
    mimaPreviousClassfiles := {
      val name = s"${moduleName.value}_${scalaBinaryVersion.value}"
      val jars = (file(folder) ** "*.jar").get
        .filter(_.name.matches(java.util.regex.Pattern.quote(name) + "-[0-9.]+\\.jar"))
      jars.map(organization.value %% moduleName.value % "baseline" -> _).toMap
    }
  )

  val notPublished: Seq[Setting[_]] = Seq(
    publish / skip := true,
    mimaFailOnNoPrevious := false,
    mimaPreviousArtifacts := Set.empty
  )

  /** The jar contains the core, so that its POM does not name it. */
  val selfContained: Seq[Setting[_]] = Seq(
    pomPostProcess := { (pom: Node) => new RuleTransformer(withoutCore).transform(pom).head },
    mimaBinaryIssueFilters ++= ("core" +: Internal).map(name =>
      ProblemFilters.exclude[Problem](s"org.slidewise.$name.*")
    )
  )

  /** The packages of the plugin that are no API; those of the core are checked with the core. */
  private val Internal: Seq[String] =
    Seq("config", "errors", "execution", "explain", "expressions", "families", "plan", "planning", "shims")
      .map(
        "spark." + _
      )

  /** The packages of the core that are no API. */
  private val InternalOfCore: Seq[String] =
    Seq("algorithms", "durable", "frames", "kernels", "multisets", "selection", "sorting", "state").map(
      "core." + _
    )

  /** Whether a class file of the plugin's jar is of a package that is no API. */
  def isInternal(path: String): Boolean =
    (Internal ++ InternalOfCore).exists(name => path.startsWith(s"org/slidewise/${name.replace('.', '/')}/"))

  private val withoutCore: RewriteRule = new RewriteRule {
    override def transform(node: Node): Seq[Node] = node match {
      case e: Elem if e.label == "dependency" && (e \ "artifactId").text.startsWith("slidewise-core") => Nil
      case other                                                                                      => other
    }
  }
}
