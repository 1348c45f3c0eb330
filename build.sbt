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
      DerivedKernels(
        (Compile / scalaSource).value / "org/slidewise/core/kernels",
        (Compile / sourceManaged).value / "kernels"
      )
    }.taskValue
  )

lazy val jmh = project
  .in(file("bench/jmh"))
  .enablePlugins(JmhPlugin)
  .dependsOn(core)
  .settings(strict, name := "slidewise-jmh", publish / skip := true)

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
  val base = Project(s"spark${spark.minor.replace(".", "")}", file(s"jvm/spark/shims/${spark.minor}"))
    .dependsOn(core)
    .settings(
      strict,
      name := s"slidewise-spark-${spark.minor}",
      moduleName := s"slidewise-spark-${spark.minor}",
      Compile / unmanagedSourceDirectories ++= Seq(shared / "main/scala", shared / "main/java")
        .map(_.getAbsoluteFile),
      Compile / unmanagedResourceDirectories += (shared / "main/resources").getAbsoluteFile,
      Compile / sourceGenerators += Def.task {
        val target = (Compile / sourceManaged).value / "BuiltFor.scala"
        val minors = SparkMinor.all.map(m => '"' + m.minor + '"').mkString("Seq(", ", ", ")")
        IO.write(
          target,
          s"""package org.slidewise.spark
             |
             |/** What this jar was made for. */
             |private[spark] object BuiltFor {
             |  val Minor     = "${spark.minor}"
             |  val AllMinors = $minors
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

lazy val spark42 = sparkProject(SparkMinor.all(0))
lazy val spark43 = sparkProject(SparkMinor.all(1))

lazy val slidewise = project
  .in(file("."))
  .aggregate(core, jmh, spark42, spark43)
  .settings(publish / skip := true)

/** Puts the jar of each Spark minor where the Python package takes it from. */
lazy val jars = taskKey[Unit]("Builds one self-contained jar a Spark minor into python/src/slidewise/jars")
slidewise / jars := {
  val into = (ThisBuild / baseDirectory).value / "python/src/slidewise/jars"
  val built = Seq((spark42 / Compile / packageBin).value, (spark43 / Compile / packageBin).value)
  IO.delete((into ** "*.jar").get.filterNot(f => built.exists(_.getName == f.getName)))
  built.foreach(jar => IO.copyFile(jar, into / jar.getName, preserveLastModified = true))
}
