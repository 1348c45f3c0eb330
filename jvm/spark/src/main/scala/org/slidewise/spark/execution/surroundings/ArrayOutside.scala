package org.slidewise.spark.execution.surroundings

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.Decimal

import org.slidewise.spark.plan._

/**
 * A function's value over rows outside, in the form that array kernels use.
 *
 * @param count
 *   the number of values, for means
 */
final private[execution] case class OutsideValue(long: Long, double: Double, count: Long)

/**
 * The rows outside on one side, in the form that array kernels use.
 *
 * @param values
 *   the value of each function of the plan; null if the function has none or needs none
 */
final private[execution] class OutsideSide(
    val rows: Long,
    val peerGroups: Long,
    val values: Array[OutsideValue]
)

/** The rows outside: before the rows of the first partition, and after the rows of the last partition. */
final private[execution] case class OutsideSides(before: OutsideSide, after: OutsideSide)

private[execution] object OutsideSides {

  /** No rows, for a number of functions. */
  def none(functions: Int): OutsideSides = {
    val side = new OutsideSide(0L, 0L, new Array[OutsideValue](functions))
    OutsideSides(side, side)
  }
}

/** Converts the aggregates of rows outside for the kernels of an [[ArrayPlan]]. The plan's fallback has the same functions. */
final private[execution] class ArrayOutside(plan: SlidingWindowPlan, arrays: ArrayPlan, input: Seq[Attribute])
    extends Serializable {

  @transient private[this] lazy val functions = new OutsideFunctions(plan, input)

  def sides(surroundings: Surroundings): OutsideSides = {
    val none = OutsideSides.none(arrays.functions.size)
    OutsideSides(
      side(surroundings.before, none.before, _.isGrowing),
      side(surroundings.after, none.after, _.reachesEnd)
    )
  }

  private def side(outside: Outside, none: OutsideSide, holds: Frame => Boolean): OutsideSide =
    if (outside.isEmpty) none
    else
      new OutsideSide(
        outside.rows,
        outside.peerGroups,
        arrays.functions.zipWithIndex.map {
          case (ArrayFunction.Aggregate(kernel, _, _, frame), i) if holds(frame) => value(i, kernel, outside)
          case _                                                                 => null
        }.toArray
      )

  private def value(function: Int, kernel: ArrayKernel, outside: Outside): OutsideValue = {
    val aggregate = arrays.fallback.aggregateOf(function)
    if (OutsideFunctions.countsRows(aggregate)) OutsideValue(outside.rows, 0.0, 0L)
    else
      (for {
        state <- functions.stateOf(outside)
        field <- functions.fieldOf(aggregate)
      } yield kernel match {
        case ArrayKernel.MeanDoubles => OutsideValue(0L, state.getDouble(field), state.getLong(field + 1))
        case _                       =>
          functions.resultOf(aggregate, state) match {
            case null           => null
            case d: Decimal     => OutsideValue(d.toUnscaledLong, 0.0, 0L)
            case b: Boolean     => OutsideValue(if (b) 1L else 0L, 0.0, 0L)
            case number: Number => OutsideValue(number.longValue, number.doubleValue, 0L)
            case other          => throw new IllegalStateException(s"$other is no number")
          }
      }).filter(v => v != null && !(kernel == ArrayKernel.MeanDoubles && v.count == 0L)).orNull
  }
}
