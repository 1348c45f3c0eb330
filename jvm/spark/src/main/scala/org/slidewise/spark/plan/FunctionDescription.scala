package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, DeclarativeAggregate}

import org.slidewise.spark.expressions.{FixedSizeBuffer, NonMutatingMerge, SummarizesLastRows}

/**
 * The facts about a function that planning and evaluation need, whatever its class. `org.slidewise.spark.families` has the
 * description of each function, and the plan carries it to the tasks.
 *
 * Descriptions of equal functions are equal. Members are computed on access.
 */
abstract class FunctionDescription extends Serializable {

  /** The described function: an aggregate function, a rank, or an offset such as `lag`. */
  def function: Expression

  /** The function as an aggregate function. Only for descriptions of aggregate functions. */
  final def aggregate: AggregateFunction = function.asInstanceOf[AggregateFunction]

  /** The function as its users call it. */
  def name: String = function.prettyName

  /**
   * The SQL text of the function with everything that its result depends on: DISTINCT, the direction of an order, and the
   * treatment of nulls.
   */
  final def sql: String = sqlOf(function)

  /** The text of [[sql]] for the same function over columns with other names. */
  def sqlOf(renamed: Expression): String = renamed match {
    case rank: AggregateWindowFunction => (rank: Expression).sql
    case other: AggregateFunction      => other.sql(isDistinct = false)
    case other                         => other.sql
  }

  // Evaluation.

  /**
   * The array function that evaluates the function; none if array kernels cannot.
   *
   * @param frame
   *   the frame of the call; none if it cannot be found in arrays
   */
  def inArrays(filter: Option[Expression], frame: => Option[Frame]): Option[ArrayFunction] = None

  /**
   * The function in terms of aggregate functions over frames, for evaluation row by row; or the reason why Spark evaluates it.
   */
  def framed(filter: Option[Expression], frame: Frame): Either[String, FramedFunctions] =
    function match {
      case one: AggregateFunction => Right(FramedFunctions(Seq(FramedFunction(one, filter, frame)), _.head))
      case other                  => Left(s"${other.prettyName} is not an aggregate function")
    }

  /** The functions that compute one result each of a function with several results. Empty if the function has one result. */
  def parts: Seq[AggregateFunction] = Nil

  /** The row whose value is the result, if no filter leaves out rows. */
  def reference: Option[RowReference] = None

  /**
   * The form of the function in which it reads only the distinct values of a frame and the number of rows that hold each. None if
   * it has no such form.
   */
  def multiset: Option[RowMultiset] = None

  /** Whether the function is an aggregate of distinct tuples. */
  final def isOfDistinct: Boolean = multiset.exists(_.isInstanceOf[RowMultiset.Distinct])

  /** The same as [[multiset]], over the values that partial aggregates hold. */
  def multisetOfPartials: Option[RowMultiset.Quantiles] = None

  /** A summary of the last rows, within an error. */
  def summary: Option[SummarizesLastRows] = None

  /** The kind of rank, if the function ranks rows. */
  def rank: Option[RankKind] = None

  /** Whether the function is the number of a frame's rows. */
  def countsRows: Boolean = false

  /** Whether Spark's operator reads each row only once to evaluate the function over the frame. */
  def isConstantInSpark(frame: Frame): Boolean = frame.isGrowing

  /** The reason why a window over a stream cannot have the function over the frame; none if it can. */
  def whyNotOverStreams(frame: Frame): Option[String] = None

  // Merging of partial aggregates.

  /** Whether and how partial aggregates of the function merge. */
  def merging: Merging

  /** Whether the function comes from a user or another library, so that a merge may fail. */
  def isForeign: Boolean = false

  /** Whether a buffer takes a few dozen bytes, whatever has been aggregated. */
  def isSmall: Boolean = function match {
    case _: DeclarativeAggregate | _: FixedSizeBuffer => true
    case _                                            => false
  }

  /** The largest number of rows of a frame at which recalculation is faster than merging buffers, as measured. */
  def recalculatedRows: Long = if (isSmall) 2L else 0L

  /**
   * The aggregate that finds the frames in which merging partial aggregates could give a result or error different from Spark's.
   * None if there are no such frames.
   */
  def guard: Option[FunctionDescription] = None

  /** The ordinals of the counts in a buffer of central moments. The moments of a count follow it. */
  def momentCounts: Seq[Int] = Nil

  /**
   * The number of words in a buffer of six-bit registers, such as that of HyperLogLog++, whose merge takes the greater of two
   * registers. None for other buffers.
   */
  def registerWords: Option[Int] = None

  /** Whether `merge` leaves its second argument unchanged. */
  def mergeKeepsRight: Boolean = function.isInstanceOf[NonMutatingMerge]

  /** Whether a deserialized state accepts no rows, and a new state accepts no rows after a merge. */
  def hasStatesOfTwoKinds: Boolean = false

  /** Whether a state may be null. */
  def mayHaveNullState: Boolean = false

  /** Whether the state of no rows is null, which the function cannot merge. */
  def hasNullForNoRows: Boolean = false

  /** The function that defines the aggregation buffer. The metadata of a stored state names its class. */
  def ofState: Expression = function

  /** The SQL type of the object in the buffer of a user's aggregator; none for other functions. */
  def objectType: Option[String] = None

  /**
   * The result as an expression over a row of states.
   *
   * @param placed
   *   the function, bound to the place of its state in the row
   */
  def evaluation(placed: AggregateFunction): Expression = placed match {
    case declarative: DeclarativeAggregate => declarative.evaluateExpression
    case other                             => other
  }

  /**
   * The function with its results and errors in `GROUP BY`. Unlike a window's buffer, a buffer there cannot hold a decimal sum that
   * exceeds its type.
   */
  def inGroups: Expression = function

  // Dependence on rows and their order.

  /** Whether partial aggregates must be merged in the order of their rows. */
  def dependsOnOrder: Boolean = true

  /** The degree to which the result depends on the order in which the rows come. */
  def orderSensitivity: OrderSensitivity = OrderSensitivity.VALUE

  /** Whether duplicates do not change the result, for functions that Spark itself does not declare duplicate-agnostic. */
  def ignoresDuplicates: Boolean = false

  /** Whether the result depends on all rows of the partition, whatever the frame. */
  def readsPartition: Boolean = false

  /** Whether Spark accepts the function only over whole partitions without an order. */
  def isOfWholePartitions: Boolean = false

  /** The distances from a row to the rows that the function reads. */
  def reach(frame: Frame): FrameReach = frame.reach
}

/** Whether and how the partial aggregates of a function merge. */
sealed trait Merging

object Merging {

  /** Partial aggregates merge to the result of all rows. */
  case object Exact extends Merging

  /** Partial aggregates merge to a result within the error that the function promises. */
  case object Approximate extends Merging

  /** In some cases, partial aggregates merge to a result different from that of all rows. */
  case object ChangesResult extends Merging

  /** A merge costs as much as aggregating all rows again, because a buffer holds their values. */
  case object HoldsRows extends Merging

  /** Partial aggregates cannot be merged. */
  case object Impossible extends Merging

  /** Slidewise does not know how partial aggregates merge, because a later Spark version has added the function. */
  case object Unknown extends Merging
}
