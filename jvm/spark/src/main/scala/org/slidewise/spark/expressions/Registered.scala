package org.slidewise.spark.expressions

import scala.reflect.ClassTag

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.analysis.FunctionRegistryBase
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, NamedArgumentExpression}

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
    of[LongestDecreasingRun]("longest_decreasing_run")
  )

  /** Makes the functions known in a session that runs already. */
  def into(registry: FunctionRegistry): Unit = all.foreach { case (name, info, builder) =>
    registry.registerFunction(FunctionIdentifier(name.funcName, Some("builtin"), Some("system")), info, builder)
  }

  private def of[T <: Expression: ClassTag](name: String): Description = {
    val (info, build) = FunctionRegistryBase.build[T](name, None)
    val builder = (arguments: Seq[Expression]) => {
      if (arguments.exists(_.isInstanceOf[NamedArgumentExpression]))
        throw new AnalysisException("NAMED_PARAMETERS_NOT_SUPPORTED", Map("functionName" -> toSQLId(name)))
      build(arguments)
    }
    (FunctionIdentifier(name), info, builder)
  }
}
