package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{FrameShape, StateTypes, Variation}

/**
 * The variations of columns that are computed again on the same rows in another order.
 *
 * @param columns
 *   the columns that may differ, with their variations
 */
final private[execution] class Variations(private val columns: Map[ExprId, Variation]) {
  import Variations._

  def isEmpty: Boolean = columns.isEmpty

  /** These variations together with `others`. A column of both has the greater variation. */
  def ++(others: Variations): Variations = new Variations(
    others.columns.foldLeft(columns) { case (all, (id, how)) =>
      all.updated(id, Variation.max(how, all.getOrElse(id, Variation.NONE)))
    }
  )

  /** The variations of these columns under other names. */
  def renamed(names: Seq[(Attribute, Attribute)]): Variations =
    Variations.of(names.map { case (inner, outer) =>
      outer -> of(inner)
    })

  /** The variations of the results of expressions. */
  def ofResults(expressions: Seq[NamedExpression]): Variations =
    Variations.of(expressions.map(expression => expression.toAttribute -> of(expression)))

  /** The variations of the results of aggregates, and of their buffers. */
  def ofCalls(calls: Seq[AggregateExpression], results: Seq[Attribute]): Variations = {
    val found = calls.map(ofCall)
    val buffers = calls.zip(found).flatMap { case (call, how) =>
      val function = call.aggregateFunction
      (function.aggBufferAttributes ++ function.inputAggBufferAttributes).map(_ -> how)
    }
    Variations.of(buffers) ++ Variations.of(results.zip(found))
  }

  /** These variations, if `expressions` decide which rows there are. None if they may decide on other rows. */
  def decidedBy(expressions: Seq[Expression]): Option[Variations] =
    if (areSame(expressions)) Some(this) else None

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

  /**
   * The variation of an expression over `inputs`. Digits stay digits in a floating-point number. In a whole number or a text,
   * they make another value.
   */
  private def derived(inputs: Seq[Variation], expression: Expression): Variation = most(inputs) match {
    case Variation.DIGITS if !StateTypes.isFloating(expression.dataType) => Variation.VALUE
    case found                                                           => found
  }

  private def ofWindow(function: Expression, spec: WindowSpecDefinition): Variation = {
    val byOrder = if (spec.orderSpec.isEmpty) Variation.VALUE else Variation.TIES
    if (!areSame(spec.partitionSpec ++ spec.orderSpec.map(_.child))) Variation.VALUE
    else
      function match {
        case call: AggregateExpression =>
          val ofPeers = if (keepsPeersTogether(spec.frameSpecification)) Variation.NONE else byOrder
          val own = Families.of(call.aggregateFunction).inOtherOrder
          most(Seq(ofPeers, if (own == Variation.VALUE) byOrder else own, ofInputs(call)))
        case _: OffsetWindowFunction    => Variation.max(byOrder, ofInputs(function))
        case _: AggregateWindowFunction =>
          Families.of(function).rank match {
            case Some(rank) if rank.joinsPeers => Variation.NONE
            case Some(_)                       => Variation.max(byOrder, ofInputs(function))
            case None                          => Variation.VALUE
          }
        case _ => Variation.VALUE
      }
  }

  /** The variation of an aggregate of the rows that the expression reads, also of one over partial aggregates. */
  private def ofCall(call: AggregateExpression): Variation =
    Variation.max(Families.of(call.aggregateFunction).inOtherOrder, ofInputs(call))

  private def ofInputs(call: AggregateExpression): Variation = {
    val function = call.aggregateFunction
    val inputs = call.mode match {
      case Partial | Complete   => function.children
      case PartialMerge | Final => function.inputAggBufferAttributes ++ function.aggBufferAttributes
    }
    if (areSame(call.filter.toSeq)) derived(inputs.map(of), function) else Variation.VALUE
  }
}

private[execution] object Variations {
  val Empty: Variations = new Variations(Map.empty)

  def of(columns: Seq[(Attribute, Variation)]): Variations =
    new Variations(columns.collect {
      case (column, how) if how != Variation.NONE => column.exprId -> how
    }.toMap)

  /** Whether an expression has the same results over the same rows in the same order. */
  def repeats(expression: Expression): Boolean = expression match {
    case _ if expression.deterministic                         => true
    case _: UserDefinedExpression | _: CallMethodViaReflection => false
    // By a seed, or by the place of the row.
    case _: Nondeterministic     => true
    case call: AggregateFunction => call.children.forall(repeats)
    case _ => !expression.children.forall(_.deterministic) && expression.children.forall(repeats)
  }

  def most(found: Seq[Variation]): Variation = found.foldLeft(Variation.NONE)(Variation.max)

  private def keepsPeersTogether(frame: WindowFrame): Boolean = frame match {
    case specified: SpecifiedWindowFrame =>
      specified.frameType == RangeFrame || FrameShape.isPartition(specified)
    case _ => false
  }
}
