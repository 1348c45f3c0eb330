ThisBuild / organization := "org.slidewise"
ThisBuild / version := IO.read(file("python/src/slidewise/VERSION")).trim
ThisBuild / scalaVersion := Versions.scala
inThisBuild(Publishing.build)

/** For class files of this Java version. Tests are for the build's own, 17. */
def strict(java: String) = Seq(
  scalacOptions ++= Seq(
    "-release",
    java,
    "-deprecation",
    "-feature",
    "-unchecked",
    // Names of local variables would make the jar larger.
    "-g:line",
    "-Xlint",
    "-Xfatal-warnings"
  ),
  javacOptions ++= Seq(
    "--release",
    java,
    "-g:source,lines",
    "-Xlint:all,-processing,-classfile,-options",
    "-Werror"
  ),
  Test / scalacOptions := (Compile / scalacOptions).value.map(option => if (option == java) "17" else option),
  Test / javacOptions := (Compile / javacOptions).value.map(option => if (option == java) "17" else option),
  Compile / doc / scalacOptions -= "-Xfatal-warnings",
  Compile / doc / scalacOptions ++= Seq("-doc-version", version.value, "-no-link-warnings"),
  Test / fork := true,
  Test / testOptions ++= {
    if (sys.env.contains("SLIDEWISE_LONG")) Nil
    else Seq(Tests.Argument(TestFrameworks.MUnit, "--exclude-tags=LongRun"))
  },
  // The tests' libraries may want a newer Scala library than the oldest Spark of a minor has.
  allowUnsafeScalaLibUpgrade := true,
  libraryDependencies ++= Seq(
    "org.scalameta" %% "munit" % Versions.munit % Test,
    "org.scalameta" %% "munit-scalacheck" % Versions.munitScalacheck % Test
  )
)

/** Whether the core for this Scala version is the one that is published for its minor. */
def published(scala: String): Boolean =
  scala == Versions.scala || !scala.startsWith(Versions.scala.split('.').take(2).mkString(".") + ".")

/** The algorithms, for one Scala version. They need no newer Java than the oldest Spark does. */
def coreProject(name: String, base: File, scala: String): Project = {
  val sources = file("jvm/core/src")
  Project(name, base).settings(
    strict("8"),
    scalaVersion := scala,
    Keys.name := "slidewise-core",
    Compile / doc / scalacOptions ++= Seq("-doc-title", "Slidewise core"),
    // Two patches of a Scala minor make the same artifact.
    if (published(scala)) Publishing.published("Sliding-window aggregation algorithms for the JVM")
    else Publishing.notPublished,
    Compile / unmanagedSourceDirectories := Seq("scala", "java").map(l =>
      (sources / "main" / l).getAbsoluteFile
    ),
    Test / unmanagedSourceDirectories := Seq("scala", "java").map(l =>
      (sources / "test" / l).getAbsoluteFile
    ),
    Compile / sourceGenerators += Def.task {
      DerivedSources(
        (sources / "main/scala/org/slidewise/core").getAbsoluteFile,
        (Compile / sourceManaged).value / "derived"
      )
    }.taskValue,
    // The build's own renaming of sources, tested like other code.
    Test / unmanagedSources += (ThisBuild / baseDirectory).value / "project/IdentifierRenaming.scala",
    libraryDependencies += "com.tngtech.archunit" % "archunit" % Versions.archunit % Test
  )
}

lazy val core = coreProject("core", file("jvm/core"), Versions.scala)

/** The core for the other Scala versions that Sparks have: `core_2_12_18`. */
lazy val otherCores: Map[String, Project] = SparkBuild.all
  .map(_.scala)
  .distinct
  .filterNot(_ == Versions.scala)
  .map(scala =>
    scala -> coreProject(s"core_${scala.replace('.', '_')}", file(s".build/sbt/core_$scala"), scala)
  )
  .toMap

def coreOf(spark: SparkBuild): Project = otherCores.getOrElse(spark.scala, core)

/** Operators over the sketch libraries of Spark, in a project of their own because the core has no dependencies. */
lazy val sketches = project
  .in(file("jvm/sketches"))
  .dependsOn(core)
  .settings(
    strict("17"),
    name := "slidewise-sketches",
    Publishing.notPublished,
    libraryDependencies ++= Seq(
      "org.apache.datasketches" % "datasketches-java" % Versions.datasketches,
      "org.apache.spark" %% "spark-sketch" % Versions.sparkSketch
    )
  )

lazy val jmh = project
  .in(file("bench/jmh"))
  .enablePlugins(JmhPlugin)
  .dependsOn(core)
  .settings(
    strict("17"),
    name := "slidewise-jmh",
    Publishing.notPublished,
    libraryDependencies += "org.hdrhistogram" % "HdrHistogram" % Versions.hdrHistogram
  )

/** What `bench/streams` compares with, where that has to be compiled; for the Spark that it runs on. */
lazy val benchStreams = project
  .in(file("bench/streams"))
  .settings(
    strict("17"),
    name := "slidewise-bench-streams",
    Publishing.notPublished,
    Compile / packageBin / artifactPath := (ThisBuild / baseDirectory).value / ".build/bench-streams.jar",
    Compile / unmanagedJars ++= Attributed.blankSeq(
      SparkBuild.pyspark.files((ThisBuild / baseDirectory).value)
    )
  )

/** The packages of the JDK that Spark reaches into. */
val opened = Seq("java.lang", "java.lang.invoke", "java.io", "java.net", "java.nio", "java.util") ++
  Seq(
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action"
  ) :+
  "sun.util.calendar"

/** Whether a file belongs to the plugin's root package. */
def isPublic(source: File): Boolean = source.getParent.endsWith("main/scala/org/slidewise/spark")

def sparkProject(spark: SparkBuild): Project = {
  val root = file("jvm/spark").getAbsoluteFile
  val folders = spark.folders(root)
  // Scala 2.13.8 cannot read its class files.
  val readsArchUnit = spark.scala != "2.13.8"
  val base = Project(spark.project, file(s".build/sbt/${spark.project}"))
    .dependsOn(coreOf(spark))
    .settings(
      strict(spark.java),
      scalaVersion := spark.scala,
      name := s"slidewise-spark-${spark.minor}",
      moduleName := s"slidewise-spark-${spark.minor}",
      Compile / doc / scalacOptions ++= Seq("-doc-title", s"Slidewise for Spark ${spark.minor}"),
      Publishing.published(
        s"Sliding-window aggregation for Apache Spark ${spark.minor} at a constant number of steps a row"
      ),
      // Programs call the root package only. The compiled classes stand for the other packages and the Java sources.
      Compile / doc / sources := (Compile / unmanagedSources).value.filter(isPublic),
      Compile / doc / dependencyClasspath := (Compile / fullClasspath).value,
      Publishing.selfContained,
      Compile / packageSrc / mappings ++= (coreOf(spark) / Compile / packageSrc / mappings).value
        .filterNot(_._2.startsWith("META-INF")),
      libraryDependencies += "com.tngtech.archunit" % "archunit" % Versions.archunit % Test,
      Compile / unmanagedSourceDirectories := folders.flatMap(f => Seq(f / "main/scala", f / "main/java")),
      Compile / unmanagedResourceDirectories := folders.map(_ / "main/resources"),
      Compile / sourceGenerators += Def.task {
        val target = (Compile / sourceManaged).value / "org/slidewise/spark/config/BuiltFor.java"
        IO.write(
          target,
          s"""package org.slidewise.spark.config;
             |
             |/** The version of this jar, and the versions of Spark and Scala that it and its siblings are built for. */
             |public final class BuiltFor {
             |  public static final String VERSION = "${version.value}";
             |  public static final String MINOR = "${spark.minor}";
             |  public static final String SCALA = "${spark.scalaBinary}";
             |  public static final String TESTED = "${spark.tested.mkString(", ")}";
             |  public static final String ALL = "${SparkBuild.inWords}";
             |
             |  private BuiltFor() {}
             |}
             |""".stripMargin
        )
        Seq(target)
      }.taskValue,
      Test / unmanagedSourceDirectories := folders.map(_ / "test/scala"),
      // What the core's tests share with this project's.
      Test / unmanagedSources ++= (Seq("fuzz/Mutations.scala", "LongRun.scala", "Unhurried.scala") ++
        (if (readsArchUnit) Seq("Constructors.scala") else Nil)).map(
        (ThisBuild / baseDirectory).value / "jvm/core/src/test/scala/org/slidewise" / _
      ),
      Test / unmanagedResourceDirectories := folders.map(_ / "test/resources"),
      Test / unmanagedSources / excludeFilter := (if (readsArchUnit) NothingFilter
                                                  else "ArchitectureSuite.scala": FileFilter),
      Test / test / testOptions ++= {
        if (Seq("SLIDEWISE_LONG", "SLIDEWISE_ALL_SUITES").exists(sys.env.contains)) Nil
        else
          Seq(
            Tests
              .Filter(TestGroups.inShortRun(spark, (ThisBuild / baseDirectory).value / "jvm/spark/streams"))
          )
      },
      // A JVM runs its suites one after the other.
      Test / testGrouping := TestGroups.of((Test / definedTests).value, (Test / forkOptions).value),
      Test / javaOptions ++= Seq(
        "-Xmx1g",
        "-Dspark.ui.enabled=false",
        // Freed memory is overwritten, so that no test reads it unnoticed. That takes time, and one minor shows it.
        s"-Dspark.memory.debugFill=${spark == SparkBuild.ofPyspark}",
        s"-Dslidewise.tests.first=${SparkBuild.all.indexOf(spark)}"
      ) ++ opened
        .map(p => s"--add-opens=java.base/$p=ALL-UNNAMED"),
      // One self-contained jar: the core's classes travel inside it.
      Compile / packageBin / mappings := {
        val ofCore = (coreOf(spark) / Compile / packageBin / mappings).value
          .filterNot(_._2.startsWith("META-INF"))
        SmallClasses.of(
          (Compile / packageBin / mappings).value ++ ofCore,
          Publishing.isInternal,
          target.value / "stripped"
        )
      }
    )
  spark.jars match {
    case SparkJars.FromMaven(version) =>
      base.settings(libraryDependencies += "org.apache.spark" %% "spark-sql" % version % Provided)
    case from: SparkJars.FromPyspark =>
      base.settings(
        Compile / unmanagedJars ++= Attributed.blankSeq(from.files((ThisBuild / baseDirectory).value)),
        Test / unmanagedJars ++= (Compile / unmanagedJars).value
      )
  }
}

/** A project a jar: `spark35_2_12` to `spark43`; and the core for each of their Scala versions. */
lazy val sparks = new CompositeProject {
  def componentProjects: Seq[Project] = otherCores.values.toSeq ++ SparkBuild.all.map(sparkProject)
}

lazy val sparkReferences: Seq[ProjectReference] = SparkBuild.all.map(spark => LocalProject(spark.project))

lazy val slidewise = project
  .in(file("."))
  .aggregate(core, sketches, jmh, benchStreams)
  .aggregate(sparkReferences: _*)
  .settings(Publishing.notPublished)

def projectsOf(builds: Seq[SparkBuild]): ScopeFilter =
  ScopeFilter(inProjects(builds.map(spark => LocalProject(spark.project)): _*))

/** Copies these jars into the Python package, and removes all others, which may be of older sources. */
def copyJars(builds: Seq[SparkBuild]) = Def.task {
  val into = (ThisBuild / baseDirectory).value / "python/src/slidewise/jars"
  val built = (Compile / packageBin).all(projectsOf(builds)).value
  IO.delete((into ** "*.jar").get.filterNot(jar => built.exists(_.getName == jar.getName)))
  built.foreach(jar => IO.copyFile(jar, into / jar.getName, preserveLastModified = true))
}

lazy val jar = taskKey[Unit]("Builds the jar for the Spark in .venv into python/src/slidewise/jars")
lazy val jars = taskKey[Unit](
  "Builds one self-contained jar a Spark minor and Scala version into python/src/slidewise/jars"
)
slidewise / jar := copyJars(Seq(SparkBuild.ofPyspark)).value
slidewise / jars := copyJars(SparkBuild.all).value

lazy val scaladoc = taskKey[Unit]("Writes the Scaladoc of the core and of the plugin for the site")
slidewise / scaladoc := {
  val into = (ThisBuild / baseDirectory).value / ".build/scaladoc"
  IO.delete(into)
  IO.copyDirectory((core / Compile / doc).value, into / "core")
  IO.copyDirectory((LocalProject(SparkBuild.ofPyspark.project) / Compile / doc).value, into / "spark")
}

// Two projects' tests at a time, each in a JVM of its own.
Global / concurrentRestrictions := Seq(
  Tags.limitAll(math.max(2, java.lang.Runtime.getRuntime.availableProcessors)),
  Tags.limit(Tags.ForkedTestGroup, 2),
  Tags.exclusiveGroup(Tags.Clean)
)

addCommandAlias(
  "testOtherMinors",
  ("all" +: SparkBuild.all.filterNot(_ == SparkBuild.ofPyspark).map(spark => s"${spark.project}/test"))
    .mkString(" ")
)

/** The projects that a release publishes: all, or those of the Spark minors in SLIDEWISE_MINORS. */
val chosen: Seq[String] = {
  val minors = sys.env.get("SLIDEWISE_MINORS").filter(_.nonEmpty).map(_.split(',').toSet)
  val builds = SparkBuild.all.filter(spark => minors.forall(_(spark.minor)))
  val cores = builds.map(spark =>
    if (Versions.scala.startsWith(spark.scalaBinary + ".")) "core"
    else s"core_${spark.scala.replace('.', '_')}"
  )
  cores.distinct ++ builds.map(_.project)
}

addCommandAlias("publishChosen", ("all" +: chosen.map(_ + "/publish")).mkString(" "))
addCommandAlias("checkChosen", ("all" +: chosen.map(_ + "/mimaReportBinaryIssues")).mkString(" "))
