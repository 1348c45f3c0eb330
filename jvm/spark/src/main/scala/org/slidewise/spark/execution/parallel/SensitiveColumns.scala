package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{FramedAggregate, OrderSensitivity, StateTypes}

/**
 * The columns whose values depend on the order in which rows come.
 *
 * @param columns
 *   the sensitivity of each of these columns
 */
final private[spark] class SensitiveColumns private (private val columns: Map[ExprId, OrderSensitivity]) {
  import SensitiveColumns._

  def isEmpty: Boolean = columns.isEmpty

  /** These columns together with `others`. A column of both has the greater sensitivity. */
  def ++(others: SensitiveColumns): SensitiveColumns = new SensitiveColumns(
    others.columns.foldLeft(columns) { case (all, (id, how)) =>
      all.updated(id, OrderSensitivity.max(how, all.getOrElse(id, OrderSensitivity.NONE)))
    }
  )

  /** These columns under other names. */
  def renamed(names: Seq[(Attribute, Attribute)]): SensitiveColumns =
    SensitiveColumns.of(names.map { case (inner, outer) =>
      outer -> of(inner)
    })

  /** Sensitive columns among the results of expressions. */
  def ofResults(expressions: Seq[NamedExpression]): SensitiveColumns =
    SensitiveColumns.of(expressions.map(expression => expression.toAttribute -> of(expression)))

  /** Sensitive columns among the results of aggregates, and among their buffers. */
  def ofCalls(calls: Seq[AggregateExpression], results: Seq[Attribute]): SensitiveColumns = {
    val found = calls.map(ofCall)
    val buffers = calls.zip(found).flatMap { case (call, how) =>
      val function = call.aggregateFunction
      (function.aggBufferAttributes ++ function.inputAggBufferAttributes).map(_ -> how)
    }
    SensitiveColumns.of(buffers) ++ SensitiveColumns.of(results.zip(found))
  }

  /**
   * These columns, after `expressions` have decided which rows there are. None if `expressions` depend on the order, and may
   * therefore decide on other rows.
   */
  def decidedBy(expressions: Seq[Expression]): Option[SensitiveColumns] =
    if (areSame(expressions)) Some(this) else None

  def of(expression: Expression): OrderSensitivity = expression match {
    case column: Attribute                => columns.getOrElse(column.exprId, OrderSensitivity.NONE)
    case WindowExpression(function, spec) => ofWindow(function, spec)
    case call: AggregateExpression        => ofCall(call)
    case framed: FramedAggregate          => ofFramed(framed)
    case _ if !expression.deterministic   => OrderSensitivity.VALUE
    case Alias(child, _)                  => of(child)
    case _                                => ofInputs(expression)
  }

  private def ofInputs(expression: Expression): OrderSensitivity =
    derived(expression.children.map(of), expression)

  /** Whether the expressions have the same values in any order of the rows. */
  def areSame(expressions: Seq[Expression]): Boolean = expressions.forall(of(_) == OrderSensitivity.NONE)

  /**
   * The sensitivity of an expression over `inputs`. A difference in digits remains one in a floating-point number. In an integer
   * or a string, it becomes another value.
   */
  private def derived(inputs: Seq[OrderSensitivity], expression: Expression): OrderSensitivity =
    most(inputs) match {
      case OrderSensitivity.DIGITS if !StateTypes.isFloating(expression.dataType) => OrderSensitivity.VALUE
      case found                                                                  => found
    }

  private def ofWindow(function: Expression, spec: WindowSpecDefinition): OrderSensitivity = {
    val byOrder = if (spec.orderSpec.isEmpty) OrderSensitivity.VALUE else OrderSensitivity.TIES
    if (!areSame(spec.partitionSpec ++ spec.orderSpec.map(_.child))) OrderSensitivity.VALUE
    else
      function match {
        case call: AggregateExpression =>
          val ofPeers = if (keepsPeersTogether(spec.frameSpecification)) OrderSensitivity.NONE else byOrder
          val own = Families.of(call.aggregateFunction).orderSensitivity
          most(Seq(ofPeers, if (own == OrderSensitivity.VALUE) byOrder else own, ofInputs(call)))
        case _: OffsetWindowFunction    => OrderSensitivity.max(byOrder, ofInputs(function))
        case _: AggregateWindowFunction =>
          Families.of(function).rank match {
            case Some(rank) if rank.joinsPeers => OrderSensitivity.NONE
            case Some(_)                       => OrderSensitivity.max(byOrder, ofInputs(function))
            case None                          => OrderSensitivity.VALUE
          }
        case _ => OrderSensitivity.VALUE
      }
  }

  private def ofFramed(framed: FramedAggregate): OrderSensitivity =
    if (!areSame(framed.order.child +: (framed.filter ++ framed.lower ++ framed.upper).toSeq))
      OrderSensitivity.VALUE
    else {
      val own = Families.of(framed.function).orderSensitivity
      most(Seq(if (own == OrderSensitivity.VALUE) OrderSensitivity.TIES else own, ofInputs(framed.function)))
    }

  /** The sensitivity of an aggregate over rows or over partial aggregates. */
  private def ofCall(call: AggregateExpression): OrderSensitivity =
    OrderSensitivity.max(Families.of(call.aggregateFunction).orderSensitivity, ofInputs(call))

  private def ofInputs(call: AggregateExpression): OrderSensitivity = {
    val function = call.aggregateFunction
    val inputs = call.mode match {
      case Partial | Complete   => function.children
      case PartialMerge | Final => function.inputAggBufferAttributes ++ function.aggBufferAttributes
    }
    if (areSame(call.filter.toSeq)) derived(inputs.map(of), function) else OrderSensitivity.VALUE
  }
}

private[parallel] object SensitiveColumns {
  val Empty: SensitiveColumns = new SensitiveColumns(Map.empty)

  /** All of these columns, with the greatest sensitivity. */
  def all(columns: Seq[Attribute]): SensitiveColumns = of(columns.map(_ -> OrderSensitivity.VALUE))

  def of(columns: Seq[(Attribute, OrderSensitivity)]): SensitiveColumns =
    new SensitiveColumns(columns.collect {
      case (column, how) if how != OrderSensitivity.NONE => column.exprId -> how
    }.toMap)

  /** Whether an expression has the same results over the same rows in the same order. */
  def repeats(expression: Expression): Boolean = expression match {
    case _ if expression.deterministic                         => true
    case _: UserDefinedExpression | _: CallMethodViaReflection => false
    // Depends on a seed, or on the place of the row.
    case _: Nondeterministic     => true
    case call: AggregateFunction => call.children.forall(repeats)
    case _ => !expression.children.forall(_.deterministic) && expression.children.forall(repeats)
  }

  def most(found: Seq[OrderSensitivity]): OrderSensitivity =
    found.foldLeft(OrderSensitivity.NONE)(OrderSensitivity.max)

  private def keepsPeersTogether(frame: WindowFrame): Boolean = frame match {
    case specified: SpecifiedWindowFrame =>
      specified.frameType == RangeFrame ||
      specified.lower == UnboundedPreceding && specified.upper == UnboundedFollowing
    case _ => false
  }
}
