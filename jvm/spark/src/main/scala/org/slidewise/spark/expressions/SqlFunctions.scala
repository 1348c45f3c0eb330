package org.slidewise.spark.expressions

import scala.reflect.{classTag, ClassTag}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, FunctionRegistryBase}
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, SortOrder}
import org.json4s.JsonAST.JArray
import org.json4s.JsonDSL._
import org.json4s.jackson.JsonMethods.compact

import org.slidewise.spark.expressions.Parameter._

/**
 * The SQL functions that Slidewise adds. One line here and the class with its `@ExpressionDescription` register a function:
 * `make docs` derives the methods of `org.slidewise.spark.functions`, the helpers of the Python package and `docs/functions.md`.
 */
object SqlFunctions extends Logging {

  val all: Seq[SqlFunction] = Seq(
    task("Statistics and extremes")(
      sql[GeometricMean]("geomean", column("x")),
      sql[MaxCount]("max_count", column("x")),
      sql[MinCount]("min_count", column("x")),
      sql[ArgMax]("arg_max", column("key"), column("value"), oneOf("ties", "first", "last").optional),
      sql[ArgMin]("arg_min", column("key"), column("value"), oneOf("ties", "first", "last").optional)
    ),
    task("Top k")(
      sql[TopK]("top_k", column("x"), int("k")),
      sql[BottomK]("bottom_k", column("x"), int("k")),
      sql[TopKBy]("top_k_by", column("x"), column("y"), int("k"))
    ),
    task("Time series and sequences")(
      sql[ExponentialMean]("ewma", column("x"), double("alpha"), boolean("adjust").optional),
      sql[TimeWeightedMean](
        "time_weighted_avg",
        column("t"),
        column("x"),
        oneOf("method", "locf", "linear").optional
      ),
      sql[M4]("m4", column("t"), column("v")),
      sql[MaxSubarraySum]("max_subarray_sum", column("x")),
      sql[MaxDrawdown]("max_drawdown", column("x")),
      sql[LongestIncreasingRun]("longest_increasing_run", column("x"), boolean("strict").optional),
      sql[LongestDecreasingRun]("longest_decreasing_run", column("x"), boolean("strict").optional)
    ),
    task("Counters")(
      sql[CounterRate]("rate", column("t"), column("x")),
      sql[CounterIncrease]("increase", column("t"), column("x"))
    ),
    task("Approximate counts and sums")(
      sql[ApproxCountIf]("approx_count_if", column("condition"), double("epsilon")),
      sql[ApproxSum]("approx_sum", column("x"), number("upper_bound"), double("epsilon")),
      sql[SlidingCountSketch](
        "sliding_count_sketch_agg",
        column("ts"),
        duration("max_width"),
        double("epsilon")
      ),
      sql[SlidingSumSketch](
        "sliding_sum_sketch_agg",
        column("ts"),
        column("x"),
        duration("max_width"),
        double("epsilon")
      ),
      sql[SlidingSketchUnion]("sliding_sketch_union_agg", column("sketch")),
      sql[SlidingSketchEstimate]("sliding_sketch_estimate", column("sketch"), time("now"), width("width")),
      sql[SlidingSketchBounds]("sliding_sketch_bounds", column("sketch"), time("now"), width("width"))
    ),
    task("Membership and frequency")(
      sql[BloomFilterAgg]("bloom_filter_agg", column("x"), long("expected").optional, long("bits").optional),
      sql[MightContain]("might_contain", column("filter"), column("x")),
      sql[CountMinSketchEstimate]("count_min_sketch_estimate", column("sketch"), column("x")),
      sql[CountMinSketchMerge]("count_min_sketch_merge_agg", column("sketch"))
    ),
    task("Classification")(
      sql[NaiveBayesAggregate](
        "naive_bayes_agg",
        column("label"),
        column("features"),
        double("smoothing").optional
      ),
      sql[NaiveBayesPredict]("naive_bayes_predict", column("model"), column("features")),
      sql[NaiveBayesProbabilities]("naive_bayes_score", column("model"), column("features"))
    )
  ).flatten

  /**
   * Registers the functions in a session that is running already, under the schema that this Spark's own functions are in. A function
   * of the session that has the name of one of them stays.
   */
  def registerIn(registry: FunctionRegistry): Unit = {
    val known = registry.listFunction()
    val sparks = known.find(_.funcName == "abs").getOrElse(FunctionIdentifier("abs"))
    val names = known.map(_.funcName).toSet
    all.foreach { function =>
      val name = sparks.copy(funcName = function.name)
      if (names(function.name))
        logWarning(
          s"The session has a function ${function.name}, which stays. Slidewise's function of this name is not registered"
        )
      else registry.registerFunction(name, function.info, function.builder)
    }
  }

  /**
   * The functions as a JSON array of objects with the fields `name`, `task`, `ordered` and `parameters`, each of which has
   * `name`, `type`, `words` and `optional`.
   */
  def signaturesJson: String = compact(JArray(all.map { f =>
    val parameters = f.parameters.map { p =>
      ("name" -> p.name) ~ ("type" -> p.kind.name) ~ ("words" -> p.kind.words) ~ ("optional" -> p.isOptional)
    }
    ("name" -> f.name) ~ ("task" -> f.task) ~ ("ordered" -> f.isOrdered) ~ ("parameters" -> parameters)
  }.toList))

  private def task(name: String)(functions: (String => SqlFunction)*): Seq[SqlFunction] =
    functions.map(_.apply(name))

  private def sql[T <: Expression: ClassTag](name: String, parameters: Parameter*)(
      task: String
  ): SqlFunction = {
    val (info, make) = FunctionRegistryBase.build[T](name, None)
    new SqlFunction(name, task, parameters, classTag[T].runtimeClass, info, make)
  }
}

/**
 * A registered SQL function.
 *
 * @param task
 *   the heading of the documentation under which it stands
 * @param info
 *   the answer of DESCRIBE FUNCTION
 * @param make
 *   makes the expression of arguments in the order of the parameters, by the constructors of its class
 */
final class SqlFunction private[expressions] (
    val name: String,
    val task: String,
    val parameters: Seq[Parameter],
    implementation: Class[_],
    val info: ExpressionInfo,
    make: Seq[Expression] => Expression
) {

  /** Whether a call may have an order of its own, WITHIN GROUP (ORDER BY …). */
  val isOrdered: Boolean = classOf[OrderDependent].isAssignableFrom(implementation)

  /** Makes the expression of a call, whose arguments may be named. A `SortOrder` among them is the order of the call. */
  val builder: FunctionBuilder = passed => {
    // The SQL parser keeps the order apart; the column API passes it with the arguments.
    val order = passed.collect {
      case SortOrder(order: SortOrder, _, _, _) => order
      case order: SortOrder                     => order
    }
    val arguments = passed.filterNot(_.isInstanceOf[SortOrder])
    (make(Parameter.inOrder(name, parameters, arguments)), order) match {
      case (function, Seq())                 => function
      case (function: OrderDependent, order) => function.withinGroup(order)
      case _                                 =>
        throw new AnalysisException(
          "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
          Map("prettyName" -> toSQLId(name), "syntax" -> "WITHIN GROUP (ORDER BY ...)")
        )
    }
  }

  /** The description of the function for `SparkSessionExtensions.injectFunction`. */
  def description: (FunctionIdentifier, ExpressionInfo, FunctionBuilder) =
    (FunctionIdentifier(name), info, builder)
}
