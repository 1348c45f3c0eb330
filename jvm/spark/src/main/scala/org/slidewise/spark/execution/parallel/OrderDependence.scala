package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.SparkCollations

/** Whether an expression gives other values, if only other last digits, when its input rows come in another order. */
private[parallel] object OrderDependence {

  /** Whether it gives the same, to the bit. */
  def isFree(expression: Expression): Boolean = expression match {
    case WindowExpression(function, spec) => isFree(function, spec) && spec.children.forall(isFree)
    case AggregateExpression(function, _, _, filter, _) =>
      isExact(function) && (function.children ++ filter).forall(isFree)
    case _ => expression.deterministic && expression.children.forall(isFree)
  }

  /** Whether the order of peers does not matter. */
  private def isFree(function: Expression, window: WindowSpecDefinition): Boolean = function match {
    case _: Rank | _: DenseRank | _: PercentRank | _: CumeDist => true
    case call: AggregateExpression => isFree(call) && keepsPeersTogether(window.frameSpecification)
    case _                         => false
  }

  private def keepsPeersTogether(frame: WindowFrame): Boolean = frame match {
    case SpecifiedWindowFrame(RangeFrame, _, _)                          => true
    case SpecifiedWindowFrame(_, UnboundedPreceding, UnboundedFollowing) => true
    case _                                                               => false
  }

  private def isExact(function: AggregateFunction): Boolean = {
    val known = function match {
      case _: Count | _: Min | _: Max | _: Sum | _: Average => true
      case _: BitAndAgg | _: BitOrAgg | _: BitXorAgg        => true
      case _: HyperLogLogPlusPlus                           => true
      case _                                                => false
    }
    known && function.aggBufferAttributes.forall(buffer => isExact(buffer.dataType))
  }

  /** Whether equal values have equal bits, and sums do not depend on the order. */
  private def isExact(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType => false
    case text: StringType       => SparkCollations.isBinaryStable(text)
    case _: ArrayType | _: MapType | _: StructType | _: UserDefinedType[_] => false
    case _                                                                 => true
  }
}
