package org.slidewise.spark.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.{FunctionSignature, InputParameter}

import org.slidewise.spark.shims.{SparkErrors, SparkExpressions}

/** A parameter of a SQL function. Only the last parameters of a function may be optional. */
final case class Parameter(name: String, kind: Parameter.Kind, isOptional: Boolean = false) {
  def optional: Parameter = copy(isOptional = true)
}

object Parameter {

  /**
   * The values that a parameter takes, which decides its type in Scala and Python. All but columns, times and widths are
   * constants.
   *
   * @param words
   *   the values, where they are a few words
   */
  final case class Kind private[expressions] (name: String, words: Seq[String] = Nil)

  def column(name: String): Parameter = Parameter(name, Kind("column"))
  def int(name: String): Parameter = Parameter(name, Kind("int"))
  def long(name: String): Parameter = Parameter(name, Kind("long"))
  def double(name: String): Parameter = Parameter(name, Kind("double"))
  def boolean(name: String): Parameter = Parameter(name, Kind("boolean"))

  /** A constant bigint or double. */
  def number(name: String): Parameter = Parameter(name, Kind("number"))

  /** A constant day-time interval, or a constant bigint where times are integers. */
  def duration(name: String): Parameter = Parameter(name, Kind("duration"))

  /** A column or a constant that is a point in time. */
  def time(name: String): Parameter = Parameter(name, Kind("time"))

  /** A column or a constant that is a length of time. */
  def width(name: String): Parameter = Parameter(name, Kind("width"))

  def oneOf(name: String, words: String*): Parameter = Parameter(name, Kind("words", words))

  private val omitted = Literal(null)

  /** The arguments of a call in the order of the parameters, without omitted ones; arguments may be named (`k => 3`). */
  private[expressions] def inOrder(
      function: String,
      parameters: Seq[Parameter],
      arguments: Seq[Expression]
  ): Seq[Expression] =
    if (!arguments.exists(_.isInstanceOf[NamedArgumentExpression])) arguments
    else {
      val inputs = parameters.map(p => InputParameter(p.name, if (p.isOptional) Some(omitted) else None))
      val all = SparkExpressions.rearrange(function, FunctionSignature(inputs), arguments)
      val passed = all.take(all.lastIndexWhere(_ ne omitted) + 1)
      val gap = passed.indexWhere(_ eq omitted)
      if (gap >= 0)
        throw new AnalysisException(
          "REQUIRED_PARAMETER_NOT_FOUND",
          Map(
            SparkErrors.RoutineName -> toSQLId(function),
            "parameterName" -> toSQLId(parameters(gap).name),
            "index" -> gap.toString
          )
        )
      passed
    }
}
