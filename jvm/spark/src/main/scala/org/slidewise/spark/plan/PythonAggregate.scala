package org.slidewise.spark.plan

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * An aggregate function that `slidewise.udaf` has created from an aggregator in Python.
 *
 * @param arguments
 *   the arguments of the call
 * @param filter
 *   the argument named `filter`, which selects the rows that count; the condition of a FILTER clause becomes this argument
 * @param bufferType
 *   the type of the values of a buffer
 * @param inArrays
 *   whether the aggregator works on many buffers at once
 */
final case class PythonAggregate(
    function: PythonUDAF,
    arguments: Seq[Expression],
    filter: Option[Expression],
    bufferType: StructType,
    inArrays: Boolean
) {

  /** The pickled function, and the type of its result. */
  def command: Array[Byte] = PythonAggregate.command(function)

  def method: EvaluationMethod =
    if (inArrays) EvaluationMethod.PythonArrays else EvaluationMethod.PythonTwoStacks
}

object PythonAggregate {
  private val Tag = "slidewise-aggregator:"
  private val mapper = new ObjectMapper

  /**
   * The aggregator of `function`. None for other functions, for a function so large that Spark sends it apart from the plan, and if
   * another function in Python computes its arguments.
   */
  def of(function: Expression): Option[PythonAggregate] = function match {
    case python: PythonUDAF if !python.children.exists(_.exists(isInPython)) =>
      description(command(python)).map { found =>
        val (filters, arguments) = python.children.partition {
          case NamedArgumentExpression("filter", _) => true
          case _                                    => false
        }
        PythonAggregate(
          python,
          arguments.map(value),
          filters.headOption.map(value),
          DataType.fromJson(found.get("buffer").toString).asInstanceOf[StructType],
          found.get("inArrays").booleanValue
        )
      }
    case _ => None
  }

  private def value(argument: Expression): Expression = argument match {
    case NamedArgumentExpression(_, value) => value
    case other                             => other
  }

  private def isInPython(expression: Expression): Boolean = expression.isInstanceOf[PythonFuncExpression]

  private def command(function: PythonUDAF): Array[Byte] = function.func.command.toArray

  /**
   * The JSON object that follows the tag in the pickled function. A pickle holds strings verbatim. It also holds the code of the
   * function's class, in which no JSON object follows the tag.
   */
  private def description(command: Array[Byte]): Option[JsonNode] = {
    val text = new String(command, ISO_8859_1)
    text.indexOf(Tag + "{") match {
      case -1    => None
      case place =>
        try
          Some(mapper.readTree[JsonNode](mapper.getFactory.createParser(text.substring(place + Tag.length))))
        catch { case NonFatal(_) => None }
    }
  }
}
