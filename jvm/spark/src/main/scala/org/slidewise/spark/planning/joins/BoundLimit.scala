package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import org.slidewise.spark.expressions.ValueOrElse
import org.slidewise.spark.plan.{FramedAggregate, FrameOffset, RowValue, WindowJoin}

/** The limits that the bounds of left rows set to right rows. */
private[spark] object BoundLimit {

  /** The least time of right rows that a left row reads; none if a frame has no lower bound. */
  def lowest(join: WindowJoin): Option[Expression] =
    outermost(framesOf(join).map(_.flatMap(_.lower)), Least(_), ends(_).map(_._1))

  /** The greatest time of right rows that a left row reads; none if a frame has no upper bound. */
  def highest(join: WindowJoin): Option[Expression] =
    outermost(framesOf(join).map(_.flatMap(_.upper)), Greatest(_), ends(_).map(_._2))

  private def framesOf(join: WindowJoin): Seq[Option[FramedAggregate]] =
    join.calls.map(Some(_).collect { case framed: FramedAggregate => framed })

  private def outermost(
      bounds: Seq[Option[RowValue]],
      of: Seq[Expression] => Expression,
      beyond: DataType => Option[Literal]
  ): Option[Expression] = {
    val values = ExpressionSet(bounds.flatten.map(_.child)).toSeq
    val known = values.flatMap(ofEach(_, beyond))
    if (!bounds.forall(_.isDefined) || known.size < values.size) None
    else if (known.size > 1) Some(of(known))
    else known.headOption
  }

  /** The lower bound of each left row, as in [[lowest]]; the bound itself if its type has no least value. */
  def lower(bound: Expression): Expression = ofEach(bound, ends(_).map(_._1)).getOrElse(bound)

  /** The upper bound of each left row, as in [[highest]]; the bound itself if its type has no greatest value. */
  def upper(bound: Expression): Expression = ofEach(bound, ends(_).map(_._2)).getOrElse(bound)

  /**
   * The bound, or the outermost value where the bound fails. A bound that fails is an error only if right rows are within the other
   * bound. None if the type has no such value.
   */
  private def ofEach(bound: Expression, beyond: DataType => Option[Literal]): Option[Expression] =
    if (TotalBound.isTotal(bound)) Some(bound)
    else beyond(bound.dataType).map(ValueOrElse(bound, _))

  /** The least and the greatest value of a type. */
  private def ends(dataType: DataType): Option[(Literal, Literal)] = {
    def both(least: Any, greatest: Any) = Some((Literal(least, dataType), Literal(greatest, dataType)))
    dataType match {
      case whole if ExactArithmetic.isWhole(whole) =>
        val (least, greatest) = FrameOffset.range(whole)
        both(FrameOffset.valueOf(least, whole), FrameOffset.valueOf(greatest, whole))
      case FloatType            => both(Float.NegativeInfinity, Float.NaN)
      case DoubleType           => both(Double.NegativeInfinity, Double.NaN)
      case decimal: DecimalType =>
        val digits = BigDecimal(BigInt(10).pow(decimal.precision) - 1, decimal.scale)
        both(
          Decimal(-digits, decimal.precision, decimal.scale),
          Decimal(digits, decimal.precision, decimal.scale)
        )
      case _ => None
    }
  }
}
