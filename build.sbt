ThisBuild / organization := "org.slidewise"
ThisBuild / version := IO.read(file("python/src/slidewise/VERSION")).trim
ThisBuild / scalaVersion := Versions.scala

lazy val strict = Seq(
  scalacOptions ++= Seq(
    "-release",
    "17",
    "-deprecation",
    "-feature",
    "-unchecked",
    "-Xlint",
    "-Xfatal-warnings"
  ),
  javacOptions ++= Seq("--release", "17", "-Xlint:all,-processing,-classfile,-options", "-Werror"),
  Compile / doc / scalacOptions -= "-Xfatal-warnings",
  Test / fork := true,
  libraryDependencies ++= Seq(
    "org.scalameta" %% "munit" % Versions.munit % Test,
    "org.scalameta" %% "munit-scalacheck" % Versions.munitScalacheck % Test
  )
)

lazy val core = project
  .in(file("jvm/core"))
  .settings(
    strict,
    name := "slidewise-core",
    Compile / sourceGenerators += Def.task {
      DerivedSources(
        (Compile / scalaSource).value / "org/slidewise/core",
        (Compile / sourceManaged).value / "derived"
      )
    }.taskValue,
    // The build's own renaming of sources, tested like other code.
    Test / unmanagedSources += (ThisBuild / baseDirectory).value / "project/IdentifierRenaming.scala",
    libraryDependencies += "com.tngtech.archunit" % "archunit" % Versions.archunit % Test
  )

/** Operators over the sketch libraries of Spark, in a project of their own because the core has no dependencies. */
lazy val sketches = project
  .in(file("jvm/sketches"))
  .dependsOn(core)
  .settings(
    strict,
    name := "slidewise-sketches",
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
    strict,
    name := "slidewise-jmh",
    publish / skip := true,
    libraryDependencies += "org.hdrhistogram" % "HdrHistogram" % Versions.hdrHistogram
  )

/** What `bench/streams` compares with, where that has to be compiled; for the Spark that it runs on. */
lazy val benchStreams = project
  .in(file("bench/streams"))
  .settings(
    strict,
    name := "slidewise-bench-streams",
    publish / skip := true,
    Compile / packageBin / artifactPath := (ThisBuild / baseDirectory).value / ".build/bench-streams.jar",
    Compile / unmanagedJars ++= Attributed.blankSeq(
      SparkMinor.ofPyspark.jars((ThisBuild / baseDirectory).value)
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

def sparkProject(spark: SparkMinor): Project = {
  val shared = file("jvm/spark/src")
  val base = Project(spark.project, file(s"jvm/spark/shims/${spark.minor}"))
    .dependsOn(core)
    .settings(
      strict,
      name := s"slidewise-spark-${spark.minor}",
      moduleName := s"slidewise-spark-${spark.minor}",
      libraryDependencies += "com.tngtech.archunit" % "archunit" % Versions.archunit % Test,
      Compile / unmanagedSourceDirectories ++= Seq(shared / "main/scala", shared / "main/java")
        .map(_.getAbsoluteFile),
      Compile / unmanagedResourceDirectories += (shared / "main/resources").getAbsoluteFile,
      Compile / sourceGenerators += Def.task {
        val target = (Compile / sourceManaged).value / "org/slidewise/spark/config/BuiltFor.java"
        IO.write(
          target,
          s"""package org.slidewise.spark.config;
             |
             |/** The version of this jar, and the Spark minors that it and its siblings are built for. */
             |public final class BuiltFor {
             |  public static final String VERSION = "${version.value}";
             |  public static final String MINOR = "${spark.minor}";
             |  public static final String ALL_MINORS = "${SparkMinor.all.map(_.minor).mkString(", ")}";
             |
             |  private BuiltFor() {}
             |}
             |""".stripMargin
        )
        Seq(target)
      }.taskValue,
      Test / unmanagedSourceDirectories += (shared / "test/scala").getAbsoluteFile,
      Test / javaOptions ++= Seq("-Xmx1g", "-Dspark.ui.enabled=false") ++ opened
        .map(p => s"--add-opens=java.base/$p=ALL-UNNAMED"),
      // One self-contained jar a minor: the core's classes travel inside it.
      Compile / packageBin / mappings ++= (core / Compile / packageBin / mappings).value
        .filterNot(_._2.startsWith("META-INF"))
    )
  spark match {
    case SparkMinor.FromMaven(_, version) =>
      base.settings(libraryDependencies += "org.apache.spark" %% "spark-sql" % version % Provided)
    case from: SparkMinor.FromPyspark =>
      base.settings(
        Compile / unmanagedJars ++= Attributed.blankSeq(from.jars((ThisBuild / baseDirectory).value)),
        Test / unmanagedJars ++= (Compile / unmanagedJars).value
      )
  }
}

/** A project a Spark minor: `spark42`, `spark43`. */
lazy val sparks = new CompositeProject {
  def componentProjects: Seq[Project] = SparkMinor.all.map(sparkProject)
}

lazy val sparkReferences: Seq[ProjectReference] = SparkMinor.all.map(minor => LocalProject(minor.project))

lazy val slidewise = project
  .in(file("."))
  .aggregate(core, sketches, jmh, benchStreams)
  .aggregate(sparkReferences: _*)
  .settings(publish / skip := true)

def projectsOf(minors: Seq[SparkMinor]): ScopeFilter =
  ScopeFilter(inProjects(minors.map(minor => LocalProject(minor.project)): _*))

/** Copies the jars of these minors into the Python package, and removes all others, which may be of older sources. */
def copyJars(minors: Seq[SparkMinor]) = Def.task {
  val into = (ThisBuild / baseDirectory).value / "python/src/slidewise/jars"
  val built = (Compile / packageBin).all(projectsOf(minors)).value
  IO.delete((into ** "*.jar").get.filterNot(jar => built.exists(_.getName == jar.getName)))
  built.foreach(jar => IO.copyFile(jar, into / jar.getName, preserveLastModified = true))
}

lazy val jar = taskKey[Unit]("Builds the jar for the Spark in .venv into python/src/slidewise/jars")
lazy val jars = taskKey[Unit]("Builds one self-contained jar a Spark minor into python/src/slidewise/jars")
slidewise / jar := copyJars(Seq(SparkMinor.ofPyspark)).value
slidewise / jars := copyJars(SparkMinor.all).value

// Two projects' tests at a time, each in a JVM of its own.
Global / concurrentRestrictions := Seq(
  Tags.limitAll(math.max(2, java.lang.Runtime.getRuntime.availableProcessors)),
  Tags.limit(Tags.ForkedTestGroup, 2),
  Tags.exclusiveGroup(Tags.Clean)
)

addCommandAlias(
  "testOtherMinors",
  SparkMinor.all.filterNot(_ == SparkMinor.ofPyspark).map(minor => s"${minor.project}/test").mkString("; ")
)
