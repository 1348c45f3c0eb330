package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, DeclarativeAggregate}

import org.slidewise.spark.expressions.{FixedSizeBuffer, NonMutatingMerge, SummarizesLastRows}

/**
 * What planning and evaluation know of a function, whatever its class. `org.slidewise.spark.families` has the description of each
 * function, and the plan carries it to the tasks.
 *
 * A description is equal to that of an equal function. Its members are computed when they are asked for.
 */
trait FunctionDescription extends Serializable {

  /** An aggregate function, a rank, or an offset such as `lag`. */
  def function: Expression

  /** The function, of a description that is of an aggregate function. */
  final def aggregate: AggregateFunction = function.asInstanceOf[AggregateFunction]

  /** The function as its users call it. */
  def name: String = function.prettyName

  /** The function with all that its result depends on: DISTINCT, the direction of an order, and what it does with nulls. */
  def sql: String = function match {
    case rank: AggregateWindowFunction => (rank: Expression).sql
    case other: AggregateFunction      => other.sql(isDistinct = false)
    case other                         => other.sql
  }

  // How it may be evaluated.

  /**
   * How array kernels evaluate it; none if they cannot.
   *
   * @param frame
   *   none if no frame of arrays is the call's
   */
  def inArrays(filter: Option[Expression], frame: => Option[ArrayFrame]): Option[ArrayFunction] = None

  /** The function in terms of aggregate functions over frames, for evaluation row by row; or why Spark evaluates it. */
  def framed(filter: Option[Expression], frame: SpecifiedWindowFrame): Either[String, FramedFunctions] =
    function match {
      case one: AggregateFunction => Right(FramedFunctions(Seq(FramedFunction(one, filter, frame)), _.head))
      case other                  => Left(s"${other.prettyName} is not an aggregate function")
    }

  /** Functions of one result each, of which the results of a function of several consist; none if it has one. */
  def parts: Seq[AggregateFunction] = Nil

  /** The row whose value is the result, if no filter leaves out rows. */
  def reference: Option[RowReference] = None

  /** What it is of the distinct values of a frame and the number of rows that hold each. */
  def multiset: Option[RowMultiset] = None

  /** Whether it is an aggregate of distinct tuples. */
  final def isOfDistinct: Boolean = multiset.exists(_.isInstanceOf[RowMultiset.Distinct])

  /** The same as [[multiset]], of the values that partial aggregates hold. */
  def multisetOfPartials: Option[RowMultiset.Quantiles] = None

  /** A summary of the last rows, within an error. */
  def summary: Option[SummarizesLastRows] = None

  /** How the row is ranked, if it is. */
  def rank: Option[RankKind] = None

  /** Whether it is the number of the rows of a frame. */
  def countsRows: Boolean = false

  /** Whether Spark goes over all values of a frame for each result, also where the frame only grows. */
  def evaluatesAllValues: Boolean = false

  // How its partial aggregates are merged.

  /** Whether and how they merge. */
  def merging: Merging

  /** Whether neither Spark nor Slidewise brings the function, so that a merge may fail. */
  def isForeign: Boolean = false

  /** Whether a buffer takes a few dozen bytes, whatever has been aggregated. */
  def isSmall: Boolean = function match {
    case _: DeclarativeAggregate | _: FixedSizeBuffer => true
    case _                                            => false
  }

  /** Frames of so many rows are aggregated again sooner than buffers are kept and merged, as measured. */
  def recalculatedRows: Long = if (isSmall) 2L else 0L

  /** Where merged partial aggregates could have led to another result or error than Spark's. */
  def guard: Option[MagnitudeExceeds] = None

  /** Where the counts of moments stand in a buffer; each is followed by its moments. */
  def momentCounts: Seq[Int] = Nil

  /** How many words of a buffer are registers, six bits each, of which a merge takes the greater; none if it has others. */
  def registerWords: Option[Int] = None

  /** Whether `merge` leaves the state alone that it reads. */
  def mergeKeepsRight: Boolean = function.isInstanceOf[NonMutatingMerge]

  /** Whether a state that has been read from bytes takes no rows, and a new one no more rows once it has been merged. */
  def hasStatesOfTwoKinds: Boolean = false

  /** Whether a state may be null. */
  def mayHaveNullState: Boolean = false

  /** The type of the objects of a user's buffer. */
  def objectType: Option[String] = None

  /**
   * The result as an expression over a row of states.
   *
   * @param placed
   *   the function with its state at its place
   */
  def evaluation(placed: AggregateFunction): Expression = placed match {
    case declarative: DeclarativeAggregate => declarative.evaluateExpression
    case other                             => other
  }

  // What it depends on.

  /** Whether partial aggregates must be merged in the order of their rows. */
  def dependsOnOrder: Boolean = true

  /** How the result over the same rows in another order may differ. */
  def inOtherOrder: Variation = Variation.VALUE

  /** Whether the result is a value by the place of its row, or all values in order. */
  def readsPlaces: Boolean = false

  /** Whether repeated values do not change the result, beyond what Spark says itself. */
  def ignoresDuplicates: Boolean = false

  /** Whether Spark takes it over whole partitions without order only. */
  def isOfWholePartitions: Boolean = false

  /** How far from a row the rows lie that it reads. */
  def reach(frame: WindowFrame): FrameReach = frame match {
    case specified: SpecifiedWindowFrame => FrameReach.of(specified)
    case other                           => throw new IllegalStateException(s"${other.sql} is no frame")
  }
}

/** Whether and how the partial aggregates of a function merge. */
sealed trait Merging

object Merging {

  /** To the result of all rows. */
  case object Exact extends Merging

  /** To a result within the error that the function promises. */
  case object Approximate extends Merging

  /** To another result than that of all rows, in some cases. */
  case object ChangesResult extends Merging

  /** At the cost of aggregating all rows again, since a buffer holds their values. */
  case object HoldsRows extends Merging

  /** Not at all. */
  case object Impossible extends Merging

  /** It is not known: a later Spark has added the function. */
  case object Unknown extends Merging
}
