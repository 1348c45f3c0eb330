package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.SparkCollations

/**
 * How expressions differ when they are evaluated again on the same rows in another order.
 *
 * @param columns
 *   how the columns that they read differ; not at all if not named
 */
final private[parallel] class Variations(columns: Map[ExprId, Variation]) {
  import Variations._

  def of(expression: Expression): Variation = expression match {
    case column: Attribute                => columns.getOrElse(column.exprId, Variation.NONE)
    case WindowExpression(function, spec) => ofWindow(function, spec)
    case call: AggregateExpression        => ofCall(call)
    case _ if !expression.deterministic   => Variation.VALUE
    case Alias(child, _)                  => of(child)
    case _                                => ofInputs(expression)
  }

  private def ofInputs(expression: Expression): Variation = derived(expression.children.map(of), expression)

  def areSame(expressions: Seq[Expression]): Boolean = expressions.forall(of(_) == Variation.NONE)

  /** Digits stay digits in a floating-point number; in a whole number or a text they make another value. */
  private def derived(inputs: Seq[Variation], expression: Expression): Variation = most(inputs) match {
    case Variation.DIGITS if !isFloating(expression.dataType) => Variation.VALUE
    case found                                                => found
  }

  private def ofWindow(function: Expression, spec: WindowSpecDefinition): Variation = {
    val byOrder = if (spec.orderSpec.isEmpty) Variation.VALUE else Variation.TIES
    if (!areSame(spec.partitionSpec ++ spec.orderSpec.map(_.child))) Variation.VALUE
    else
      function match {
        case _: Rank | _: DenseRank | _: PercentRank | _: CumeDist => Variation.NONE
        case call: AggregateExpression                             =>
          val ofPeers = if (keepsPeersTogether(spec.frameSpecification)) Variation.NONE else byOrder
          val own = ofFunction(call.aggregateFunction)
          most(Seq(ofPeers, if (own == Variation.VALUE) byOrder else own, ofInputs(call)))
        case _: RowNumberLike | _: OffsetWindowFunction => Variation.max(byOrder, ofInputs(function))
        case _                                          => Variation.VALUE
      }
  }

  /** That of an aggregate of the rows that the expression reads, partial aggregates among them. */
  def ofCall(call: AggregateExpression): Variation =
    Variation.max(ofFunction(call.aggregateFunction), ofInputs(call))

  private def ofInputs(call: AggregateExpression): Variation = {
    val function = call.aggregateFunction
    val inputs = call.mode match {
      case Partial | Complete   => function.children
      case PartialMerge | Final => function.inputAggBufferAttributes ++ function.aggBufferAttributes
    }
    if (areSame(call.filter.toSeq)) derived(inputs.map(of), function) else Variation.VALUE
  }
}

private[parallel] object Variations {

  def most(found: Seq[Variation]): Variation = found.foldLeft(Variation.NONE)(Variation.max)

  /** Those of an aggregate function over the same rows in another order. */
  private def ofFunction(function: AggregateFunction): Variation = {
    val types = function.aggBufferAttributes.map(_.dataType)
    function match {
      // An intermediate sum may overflow, or not.
      case _: Sum if function.prettyName.startsWith("try_") => Variation.VALUE
      case _: Sum | _: Average | _: CentralMomentAgg | _: Covariance | _: PearsonCorrelation =>
        if (types.forall(isExact)) Variation.NONE else Variation.DIGITS
      case _: Count | _: HyperLogLogPlusPlus         => Variation.NONE
      case _: BitAndAgg | _: BitOrAgg | _: BitXorAgg => Variation.NONE
      case _: Min | _: Max                           =>
        if (types.forall(isExact)) Variation.NONE
        // Zeros and NaN have several forms.
        else if (types.forall(isFloating)) Variation.DIGITS
        else Variation.VALUE
      case _ => Variation.VALUE
    }
  }

  private def keepsPeersTogether(frame: WindowFrame): Boolean = frame match {
    case SpecifiedWindowFrame(RangeFrame, _, _)                          => true
    case SpecifiedWindowFrame(_, UnboundedPreceding, UnboundedFollowing) => true
    case _                                                               => false
  }

  private def isFloating(dataType: DataType): Boolean = dataType == DoubleType || dataType == FloatType

  /** Whether equal values have equal bits, and sums do not depend on the order. */
  private def isExact(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType => false
    case text: StringType       => SparkCollations.isBinaryStable(text)
    case _: ArrayType | _: MapType | _: StructType | _: UserDefinedType[_] => false
    case _                                                                 => true
  }
}
