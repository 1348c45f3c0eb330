package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.DataType

/**
 * The window expressions that kernels over arrays evaluate.
 *
 * @param functions
 *   the function of each result
 * @param results
 *   the attributes of the results, in the order of `functions`
 * @param fallback
 *   the row-wise evaluation of all these expressions, where the kernels cannot evaluate them
 */
final case class ArrayPlan(functions: Seq[ArrayFunction], results: Seq[Attribute], fallback: RowWisePlan)

/** A window function over primitive columns. */
sealed trait ArrayFunction {

  /** The evaluation method that EXPLAIN shows. */
  def method: EvaluationMethod = this match {
    case _: ArrayFunction.OfMultiset => EvaluationMethod.SlidingMultiset
    case _                           => EvaluationMethod.ArrayKernels
  }

  /** The frame that the function reads; none if it ranks rows or reads one row at a distance. */
  def readFrame: Option[Frame] = this match {
    case aggregate: ArrayFunction.Aggregate => Some(aggregate.frame)
    case multiset: ArrayFunction.OfMultiset => Some(multiset.frame)
    case value: ArrayFunction.ValueOfFrame  => Some(value.frame)
    case _                                  => None
  }
}

object ArrayFunction {

  /**
   * An aggregate of a frame.
   *
   * @param input
   *   the column, of longs, of doubles, or of a type that takes four bytes in a row; null where the function skips a row
   * @param atLeast
   *   the number of values that a frame must hold for the result not to be null
   */
  final case class Aggregate(kernel: ArrayKernel, input: Expression, atLeast: Int, frame: Frame)
      extends ArrayFunction

  /**
   * An aggregate of the distinct values of a frame, or of the values in their order.
   *
   * @param input
   *   the column, as in [[Aggregate]], or a [[DictionaryCode]]
   * @param result
   *   the type of the result
   */
  final case class OfMultiset(
      function: MultisetFunction,
      input: Expression,
      result: DataType,
      frame: Frame
  ) extends ArrayFunction

  /** The rank of a row in its partition. */
  final case class Rank(kind: RankKind) extends ArrayFunction

  /**
   * One value of a frame: `first_value`, `last_value`, `nth_value`.
   *
   * @param input
   *   the column, of a type that takes at most eight bytes in a row
   * @param n
   *   the number of the value, from 1 on
   * @param fromEnd
   *   whether values are counted from the last value of the frame
   */
  final case class ValueOfFrame(
      input: Expression,
      n: Int,
      fromEnd: Boolean,
      ignoreNulls: Boolean,
      frame: Frame
  ) extends ArrayFunction

  /**
   * The value of another row: `lag` and `lead`.
   *
   * @param input
   *   the column, of a type that takes at most eight bytes in a row
   * @param offset
   *   the distance from the current row, in rows, or in values if `ignoreNulls`; negative for rows before it
   * @param default
   *   the result where there is no such row; none for null
   */
  final case class ValueAtOffset(
      input: Expression,
      offset: Int,
      default: Option[Expression],
      ignoreNulls: Boolean
  ) extends ArrayFunction
}

/**
 * The kind of a row's rank in its partition.
 *
 * @param joinsPeers
 *   whether rows that tie in the order have one rank
 */
sealed abstract class RankKind(val joinsPeers: Boolean) extends Serializable

object RankKind {
  case object RowNumber extends RankKind(joinsPeers = false)
  case object Rank extends RankKind(joinsPeers = true)
  case object DenseRank extends RankKind(joinsPeers = true)
  case object PercentRank extends RankKind(joinsPeers = true)
  case object CumeDist extends RankKind(joinsPeers = true)
  final case class Tile(buckets: Int) extends RankKind(joinsPeers = false)
}

/** A kernel of `org.slidewise.core.kernels`. */
sealed trait ArrayKernel {

  /** Whether values and results are longs, and not doubles. */
  def isOfLongs: Boolean = this match {
    case ArrayKernel.CountValues | ArrayKernel.SumLongs(_) | ArrayKernel.MinLongs | ArrayKernel.MaxLongs =>
      true
    case _: ArrayKernel.OfDecimals => true
    case _                         => false
  }
}

object ArrayKernel {
  case object CountValues extends ArrayKernel
  case object SumDoubles extends ArrayKernel
  case object MeanDoubles extends ArrayKernel
  case object MinDoubles extends ArrayKernel
  case object MaxDoubles extends ArrayKernel

  /**
   * @param lost
   *   the degrees of freedom lost: 1 for a sample, 0 for the population
   * @param root
   *   whether the result is the standard deviation
   */
  final case class Variance(lost: Int, root: Boolean) extends ArrayKernel

  /**
   * @param checked
   *   the function that evaluates a frame whose sum could overflow 64 bits, and raises Spark's error or returns null; none if sums
   *   wrap around
   */
  final case class SumLongs(checked: Option[DeclarativeAggregate]) extends ArrayKernel
  case object MinLongs extends ArrayKernel
  case object MaxLongs extends ArrayKernel

  /** A kernel over the unscaled values of decimals, which it sums in 64 bits. Rows with larger sums are evaluated row by row. */
  sealed trait OfDecimals extends ArrayKernel {

    /** The greatest magnitude of a sum. */
    def most: Long
  }

  final case class SumDecimals(most: Long) extends OfDecimals

  /**
   * @param factor
   *   the unit of the values divided by that of the result
   */
  final case class MeanDecimals(factor: Long) extends OfDecimals {
    override def most: Long = Long.MaxValue / factor
  }
}
