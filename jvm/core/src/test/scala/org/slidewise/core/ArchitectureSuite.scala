package org.slidewise.core

import com.tngtech.archunit.base.DescribedPredicate
import com.tngtech.archunit.core.domain.{JavaClass, JavaClasses}
import com.tngtech.archunit.core.importer.{ClassFileImporter, ImportOption}
import com.tngtech.archunit.lang.ArchRule
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.{classes, noClasses}
import com.tngtech.archunit.library.Architectures.layeredArchitecture
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices
import munit.FunSuite
import org.slidewise.Constructors
import scala.jdk.CollectionConverters._

/** The dependencies among the packages of the core. */
class ArchitectureSuite extends FunSuite {
  private val Core = "org.slidewise.core"

  private val core: JavaClasses = new ClassFileImporter()
    .withImportOption(new ImportOption.DoNotIncludeTests)
    .withImportOption(location => !location.contains("test-classes"))
    .importPackages(Core)

  /** Each package below the root, and the packages that it may use beside the root. A new package is added here. */
  private val mayUse: Map[String, Seq[String]] = Map(
    "operators" -> Nil,
    "state" -> Nil,
    "algorithms" -> Seq("state"),
    "windows" -> Seq("algorithms", "state"),
    "batch" -> Nil,
    "kernels" -> Seq("batch"),
    "frames" -> Nil,
    "durable" -> Seq("algorithms", "frames", "state"),
    "incremental" -> Nil,
    "summaries" -> Nil,
    "selection" -> Nil,
    "sorting" -> Nil,
    "multisets" -> Seq("batch", "kernels", "sorting")
  )

  private def violations(rule: ArchRule, in: JavaClasses): Seq[String] =
    rule.allowEmptyShould(false).evaluate(in).getFailureReport.getDetails.asScala.toSeq

  private def cycles(pattern: String): ArchRule = slices().matching(pattern).should().beFreeOfCycles()

  test("the packages have no cycles") {
    assertEquals(violations(cycles("org.slidewise.(**)"), core), Nil)
  }

  test("no constructor has more than eight parameters") {
    assertEquals(Constructors.long(core), Set.empty[String])
  }

  test("the rule finds a cycle where there is one") {
    val fixture = new ClassFileImporter().importPackages("org.slidewise.fixture")
    val found = violations(cycles("org.slidewise.fixture.(*)"), fixture)
    assert(found.exists(_.contains("Cycle detected")), found)
  }

  test("each package uses only the packages that are listed for it") {
    val layers = mayUse.keys.toSeq.sorted.foldLeft(
      layeredArchitecture().consideringOnlyDependenciesInLayers().layer("root").definedBy(Core)
    )((rule, name) => rule.layer(name).definedBy(s"$Core.$name.."))
    val rule = mayUse.foldLeft(layers.whereLayer("root").mayNotAccessAnyLayer()) { case (all, (name, used)) =>
      all.whereLayer(name).mayOnlyAccessLayers("root" +: used: _*)
    }
    assertEquals(violations(rule, core), Nil)
  }

  test("each package is listed") {
    val packages = core.asScala.map(_.getPackageName).toSet
    assertEquals(packages, mayUse.keySet.map(name => s"$Core.$name") + Core)
  }

  test("the core depends on nothing but Java and Scala") {
    val known = new DescribedPredicate[JavaClass]("the core, java or scala") {
      override def test(other: JavaClass): Boolean =
        other.isPrimitive || other.isArray || Seq(s"$Core.", "java.", "scala.").exists(
          other.getName.startsWith(_)
        )
    }
    val rule = classes().that().resideInAPackage(s"$Core..").should().onlyDependOnClassesThat(known)
    assertEquals(violations(rule, core), Nil)
  }

  test("no class reads or writes serialized objects") {
    val rule =
      noClasses().should().dependOnClassesThat().haveNameMatching("java\\.io\\.Object(Input|Output)Stream")
    assertEquals(violations(rule, core), Nil)
  }
}
