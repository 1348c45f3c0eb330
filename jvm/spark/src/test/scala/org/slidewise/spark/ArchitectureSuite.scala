package org.slidewise.spark

import com.tngtech.archunit.base.DescribedPredicate
import com.tngtech.archunit.core.domain.{JavaCall, JavaClass, JavaClasses}
import com.tngtech.archunit.core.domain.properties.{HasName, HasOwner}
import com.tngtech.archunit.core.importer.{ClassFileImporter, ImportOption}
import com.tngtech.archunit.lang.ArchRule
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses
import com.tngtech.archunit.library.Architectures.layeredArchitecture
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices
import munit.FunSuite
import org.slidewise.Constructors
import org.slidewise.spark.config.BuiltFor

/** The dependencies among the packages of the plugin. */
class ArchitectureSuite extends FunSuite {
  private val Root = "org.slidewise.spark"

  private val plugin: JavaClasses = new ClassFileImporter()
    .withImportOption(new ImportOption.DoNotIncludeTests)
    .withImportOption(location => !location.contains("test-classes"))
    .importPackages(Root)

  /** Spark 3.5 has no windows over streams. */
  private def absent: Set[String] =
    if (BuiltFor.MINOR == "3.5")
      Set("execution.streams", "execution.streams.hopping", "execution.streams.checkpoints")
    else Set.empty

  /** Each package below the root, and the packages of the plugin that it may use. A new package is added here. */
  private val mayUse: Map[String, Seq[String]] = {
    val model = Seq("shims", "errors", "config", "expressions", "plan", "families")
    val execution =
      Seq(
        "task",
        "rows",
        "states",
        "sorting",
        "surroundings",
        "blocks",
        "columns",
        "exchange",
        "frames",
        "arrays",
        "toprows",
        "hopping",
        "joins",
        "python"
      ).map(
        "execution." + _
      )
    Map(
      "shims" -> Nil,
      "errors" -> Seq("shims"),
      "config" -> Seq("errors"),
      "expressions" -> Seq("shims", "errors", "config"),
      "plan" -> Seq("shims", "errors", "config", "expressions"),
      "families" -> Seq("shims", "expressions", "plan"),
      "execution.task" -> Nil,
      "execution.rows" -> Seq("plan", "execution.task"),
      "execution.states" -> (model ++ Seq("execution.task", "execution.rows")),
      "execution.sorting" -> (model ++ Seq("task", "rows", "blocks", "columns").map("execution." + _)),
      "execution.surroundings" -> (model ++ Seq("execution.states", "execution.sorting")),
      "execution.blocks" -> Seq("shims"),
      "execution.columns" -> Seq("execution.rows", "execution.blocks"),
      "execution.exchange" -> Seq(
        "shims",
        "expressions",
        "plan",
        "execution.task",
        "execution.blocks",
        "execution.columns"
      ),
      "execution.frames" -> (model ++ Seq("task", "rows", "states", "sorting", "surroundings").map(
        "execution." + _
      )),
      "execution.arrays" -> (model ++
        Seq("task", "rows", "columns", "sorting", "surroundings").map("execution." + _)),
      "execution.toprows" -> Seq("plan", "execution.task", "execution.rows", "execution.sorting"),
      "execution.hopping" -> (model ++ Seq("task", "rows", "states", "surroundings", "frames").map(
        "execution." + _
      )),
      "execution.joins" -> (model ++
        Seq("task", "rows", "states", "sorting", "surroundings", "frames", "arrays").map("execution." + _)),
      "execution.python" -> (model ++ Seq("task", "rows", "states", "surroundings", "frames", "joins").map(
        "execution." + _
      )),
      "execution" -> (model ++ execution),
      "execution.parallel" -> (model ++ execution :+ "execution"),
      "execution.streams" -> (model ++ execution),
      "execution.streams.hopping" -> (model ++ execution :+ "execution.streams"),
      "execution.streams.checkpoints" -> (model ++ execution ++
        Seq("execution.streams", "execution.streams.hopping")),
      "planning" -> (model ++ execution :+ "execution"),
      "planning.parallel" -> (model ++ Seq("execution", "execution.parallel", "planning")),
      "planning.joins" -> (model ++ Seq("execution", "planning")),
      "planning.hopping" -> (model ++ Seq("execution", "planning")),
      "planning.streams" -> (model ++ execution ++
        Seq("execution", "execution.streams", "execution.streams.hopping", "planning", "planning.hopping")),
      "explain" -> (model :+ "execution"),
      "refresh" -> (model ++ Seq("planning", "planning.joins"))
    ).map { case (name, used) => name -> used.filterNot(absent) } -- absent
  }

  private val aggregates = "org.apache.spark.sql.catalyst.expressions.aggregate."

  private val kindsOfFunctions =
    Set("AggregateFunction", "DeclarativeAggregate", "ImperativeAggregate", "TypedImperativeAggregate")

  private val partsOfCalls =
    Set("AggregateExpression", "AggregateMode", "Partial", "PartialMerge", "Final", "Complete", "NoOp")

  private val windowFunctions =
    Set("RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "NTile", "Lag", "Lead", "NthValue")

  /** Spark's class of one function, and not of a kind of functions. */
  private val isOneFunction: DescribedPredicate[JavaClass] =
    DescribedPredicate.describe(
      "is the class of a function",
      (found: JavaClass) => {
        val name = found.getName.stripSuffix("$")
        if (name.startsWith(aggregates))
          !(kindsOfFunctions ++ partsOfCalls)(name.stripPrefix(aggregates).takeWhile(_ != '$'))
        else
          windowFunctions.exists(function => name == s"org.apache.spark.sql.catalyst.expressions.$function")
      }
    )

  private def violations(rule: ArchRule): Seq[String] =
    rule.allowEmptyShould(false).evaluate(plugin).getFailureReport.getDetails.toArray.toSeq.map(_.toString)

  test("the packages have no cycles") {
    // Each package is a slice of its own, whatever its depth.
    assertEquals(violations(slices().matching("org.slidewise.spark.(**)").should().beFreeOfCycles()), Nil)
  }

  test("each package uses only the packages that are listed for it") {
    val layers = mayUse.keys.toSeq.sorted.foldLeft(
      layeredArchitecture().consideringOnlyDependenciesInLayers().layer("root").definedBy(Root)
    )((rule, name) => rule.layer(name).definedBy(s"$Root.$name"))
    val rule = mayUse.foldLeft(layers.whereLayer("root").mayNotBeAccessedByAnyLayer()) {
      case (all, (name, Seq())) => all.whereLayer(name).mayNotAccessAnyLayer()
      case (all, (name, used))  => all.whereLayer(name).mayOnlyAccessLayers(used: _*)
    }
    assertEquals(violations(rule), Nil)
  }

  test("each package is listed") {
    val packages = plugin.toArray(Array.empty[JavaClass]).map(_.getPackageName).toSet
    assertEquals(packages, mayUse.keySet.map(name => s"$Root.$name") + Root)
  }

  test("functions are told apart by their descriptions, and not by Spark's classes") {
    val rule = noClasses()
      .that()
      .resideOutsideOfPackages(Root, s"$Root.families", s"$Root.expressions", s"$Root.shims")
      .should()
      .dependOnClassesThat(isOneFunction)
    assertEquals(violations(rule), Nil)
  }

  // They read Spark's own operators, whose functions and frames no plan of Slidewise has.
  private val readsOperators = ".*\\.execution\\.parallel\\.(PlanDeterminism|SensitiveColumns)\\$?"

  test("the execution has no frames but those of the plan") {
    val ofSpark = Set("WindowFrame", "SpecifiedWindowFrame", "SpecialFrameBoundary", "FrameType")
    val isFrame: DescribedPredicate[JavaClass] = DescribedPredicate.describe(
      "is a frame of Spark",
      (found: JavaClass) =>
        ofSpark.exists(name => found.getName == s"org.apache.spark.sql.catalyst.expressions.$name")
    )
    val rule = noClasses()
      .that()
      .resideInAnyPackage(s"$Root.execution..", s"$Root.families")
      .and()
      .haveNameNotMatching(readsOperators)
      .should()
      .dependOnClassesThat(isFrame)
    assertEquals(violations(rule), Nil)
  }

  test("no constructor has more than eight parameters") {
    assertEquals(Constructors.long(plugin), Set.empty[String])
  }

  test("execution reads the descriptions in the plan, and looks up no others") {
    val rule = noClasses()
      .that()
      .resideInAPackage(s"$Root.execution..")
      .and()
      .haveNameNotMatching(readsOperators)
      .should()
      .dependOnClassesThat()
      .resideInAPackage(s"$Root.families")
    assertEquals(violations(rule), Nil)
  }

  test("only the place that joins the rules knows that tasks share windows") {
    val rule = noClasses()
      .that()
      .resideOutsideOfPackages(s"$Root.execution.parallel", s"$Root.planning.parallel")
      .and()
      .haveNameNotMatching(".*\\.spark\\.(PlanningRules|Injection).*")
      .should()
      .dependOnClassesThat()
      .resideInAnyPackage(s"$Root.execution.parallel", s"$Root.planning.parallel")
    assertEquals(violations(rule), Nil)
  }

  test("no class deserializes objects, apart from the results of its own tasks") {
    val rule = noClasses()
      .that()
      .haveNameNotMatching(".*\\.OwnClasses")
      .should()
      .dependOnClassesThat()
      .haveNameMatching(
        "java\\.io\\.Object(Input|Output)Stream|com\\.esotericsoftware\\..*|org\\.apache\\.spark\\.serializer\\.(Java|Kryo|Deser|SerializerI).*"
      )
      .orShould()
      .callMethodWhere(
        JavaCall.Predicates
          .target(HasName.Predicates.name("deserialize"))
          .and(
            JavaCall.Predicates
              .target(HasOwner.Predicates.With.owner(HasName.Predicates.name("org.apache.spark.util.Utils$")))
          )
      )
    assertEquals(violations(rule), Nil)
  }
}
