package org.slidewise.core

import com.tngtech.archunit.core.importer.{ClassFileImporter, ImportOption}
import munit.FunSuite
import scala.jdk.CollectionConverters._

/** The public API: the classes with an annotation of stability. A class that joins or leaves it changes this list. */
class ApiSuite extends FunSuite {
  private val core = new ClassFileImporter()
    .withImportOption(new ImportOption.DoNotIncludeTests)
    .withImportOption(location => !location.contains("test-classes"))
    .importPackages("org.slidewise.core")

  private def annotated(annotation: Class[_ <: java.lang.annotation.Annotation]): Set[String] = core.asScala
    .filter(c => c.isAnnotatedWith(annotation))
    .map(_.getName.stripPrefix("org.slidewise.core.").stripSuffix("$"))
    .toSet

  private def both(names: String*): Set[String] =
    names.flatMap(n => Seq(n, n.replace("Double", "Long"))).toSet

  private def in(pack: String, names: String*): Set[String] = names.map(n => s"$pack.$n").toSet

  test("the stable classes") {
    val expected =
      Set("Operator", "Aggregator", "InvertibleAggregator", "SlidingAggregator", "windows.WindowAlgorithm") ++
        in("operators", "Operators")
    assertEquals(annotated(classOf[Stable]), expected)
  }

  test("the evolving classes") {
    val expected =
      both("DoubleCells", "DoubleAggregator", "InvertibleDoubleAggregator", "windows.DoubleWindow") ++
        Set("InPlaceAggregator", "Invertible") ++ in("windows", "Window", "TimedWindow") ++
        in("batch", "GreedySwa", "Frames") ++
        in("incremental", "ExtremeCheckpoints", "LongestRunCheckpoints", "TopKCheckpoints") ++
        in("summaries", "WindowSummary", "CountSummary", "SumSummary", "TimestampSummary", "Estimate") ++
        in("summaries", "AdditiveCount", "AdditiveSum", "RangeSum", "ExactCount", "ExactSum") ++
        in("summaries", "ExponentialHistogram", "DeterministicWave", "DyadicDigest", "SplittableHistogram")
    assertEquals(annotated(classOf[Evolving]), expected)
  }
}
