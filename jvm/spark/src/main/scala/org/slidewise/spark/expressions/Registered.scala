package org.slidewise.spark.expressions

import scala.reflect.ClassTag

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.analysis.FunctionRegistryBase
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, SortOrder}
import org.apache.spark.sql.internal.SQLConf

/** Every SQL function that Slidewise brings, with what DESCRIBE FUNCTION says of it. */
object Registered {
  type Description = (FunctionIdentifier, ExpressionInfo, FunctionBuilder)

  val all: Seq[Description] = Seq(
    of[GeometricMean]("geomean"),
    of[MaxCount]("max_count"),
    of[MinCount]("min_count"),
    of[ArgMax]("arg_max"),
    of[ArgMin]("arg_min"),
    of[M4]("m4"),
    of[MaxSubarraySum]("max_subarray_sum"),
    of[ExponentialMean]("ewma"),
    of[TimeWeightedMean]("time_weighted_avg"),
    of[CounterRate]("rate"),
    of[CounterIncrease]("increase"),
    of[LongestIncreasingRun]("longest_increasing_run"),
    of[LongestDecreasingRun]("longest_decreasing_run"),
    of[TopK]("top_k"),
    of[BottomK]("bottom_k"),
    of[TopKBy]("top_k_by"),
    of[BloomFilterAgg]("bloom_filter_agg"),
    of[MightContain]("might_contain"),
    of[CountMinSketchEstimate]("count_min_sketch_estimate"),
    of[CountMinSketchMerge]("count_min_sketch_merge_agg"),
    built[NaiveBayesAggregate]("naive_bayes_agg", 2 to 3)(NaiveBayesAggregate.of),
    scoring("naive_bayes_predict")(NaiveBayesPredict(_, _, _)),
    scoring("naive_bayes_score")(NaiveBayesProbabilities(_, _, _)),
    of[SlidingCountSketch]("sliding_count_sketch_agg"),
    of[SlidingSumSketch]("sliding_sum_sketch_agg"),
    of[SlidingSketchUnion]("sliding_sketch_union_agg"),
    of[SlidingSketchEstimate]("sliding_sketch_estimate"),
    of[SlidingSketchBounds]("sliding_sketch_bounds"),
    of[ApproxCountIf]("approx_count_if"),
    of[ApproxSum]("approx_sum")
  )

  /** Makes the functions known in a session that runs already. */
  def into(registry: FunctionRegistry): Unit = all.foreach { case (name, info, builder) =>
    registry.registerFunction(
      FunctionIdentifier(name.funcName, Some("builtin"), Some("system")),
      info,
      builder
    )
  }

  /** By the constructors of the class that take expressions. */
  private def of[T <: Expression: ClassTag](name: String): Description =
    described(name, FunctionRegistryBase.build[T](name, None))

  /** As the class describes it, and otherwise made from arguments that are resolved. */
  private def built[T: ClassTag](name: String, arguments: Range)(
      make: Seq[Expression] => Expression
  ): Description =
    described(
      name,
      (
        FunctionRegistryBase.expressionInfo[T](name, None),
        passed => {
          if (!arguments.contains(passed.size))
            throw new AnalysisException(
              "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
              Map(
                "functionName" -> toSQLId(name),
                "expectedNum" -> arguments.mkString("[", ", ", "]"),
                "actualNum" -> passed.size.toString,
                "docroot" -> "https://spark.apache.org/docs/latest"
              )
            )
          make(passed)
        }
      )
    )

  /** What asks a model of naive Bayes about features, by their names. */
  private def scoring[T <: Expression: ClassTag](name: String)(
      make: (Expression, Expression, Boolean) => T
  ): Description =
    built[T](name, 2 to 2) { a =>
      make(a(0), NaiveBayesFeatures.normalized(name, a(1)), SQLConf.get.caseSensitiveAnalysis)
    }

  private def described(name: String, how: (ExpressionInfo, Seq[Expression] => Expression)): Description = {
    val (info, make) = how
    val signature = new Signature(name, info.getUsage)
    val builder = (passed: Seq[Expression]) => {
      // In SQL an order stands behind the call; columns pass it with the arguments.
      val (order, arguments) = passed.partitionMap {
        case SortOrder(order: SortOrder, _, _, _) => Left(order)
        case order: SortOrder                     => Left(order)
        case argument                             => Right(argument)
      }
      (make(signature.inOrder(arguments)), order) match {
        case (function, Seq())                 => function
        case (function: OrderDependent, order) => function.withOrderingWithinGroup(order)
        case _                                 =>
          throw new AnalysisException(
            "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
            Map("prettyName" -> toSQLId(name), "syntax" -> "WITHIN GROUP (ORDER BY ...)")
          )
      }
    }
    (FunctionIdentifier(name), info, builder)
  }
}
