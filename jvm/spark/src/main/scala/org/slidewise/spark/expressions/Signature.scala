package org.slidewise.spark.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.{FunctionSignature, InputParameter, NamedParametersSupport}
import org.apache.spark.sql.internal.SQLConf

/**
 * The parameters of a function, for arguments that are given by name (`k => 3`).
 *
 * @param usage
 *   the description that begins with them, those that may be left out in brackets: `_FUNC_(x, alpha[, adjust])`
 */
final private[expressions] class Signature(function: String, usage: String) {
  private val parameters = {
    val (needed, others) = usage.substring(usage.indexOf('(') + 1, usage.indexOf(')')).span(_ != '[')
    def names(list: String) = list.split("\\W+").toSeq.filter(_.nonEmpty)
    names(needed).map(InputParameter(_)) ++ names(others).map(InputParameter(_, Some(Signature.LeftOut)))
  }

  /** The arguments in the order of the parameters, without those that were left out. */
  def inOrder(arguments: Seq[Expression]): Seq[Expression] =
    if (!arguments.exists(_.isInstanceOf[NamedArgumentExpression])) arguments
    else {
      val all = NamedParametersSupport.defaultRearrange(
        FunctionSignature(parameters),
        arguments,
        function,
        SQLConf.get.resolver
      )
      val passed = all.take(all.lastIndexWhere(_ ne Signature.LeftOut) + 1)
      val gap = passed.indexWhere(_ eq Signature.LeftOut)
      if (gap >= 0)
        throw new AnalysisException(
          "REQUIRED_PARAMETER_NOT_FOUND",
          Map(
            "routineName" -> toSQLId(function),
            "parameterName" -> toSQLId(parameters(gap).name),
            "index" -> gap.toString
          )
        )
      passed
    }
}

private object Signature {
  private val LeftOut = Literal(null)
}
