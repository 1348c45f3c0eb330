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
    of[GeometricMean]("geomean")
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
