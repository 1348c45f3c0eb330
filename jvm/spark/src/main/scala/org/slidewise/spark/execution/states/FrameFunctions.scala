package org.slidewise.spark.execution.states

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.DataType

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.GuardedCondition
import org.slidewise.spark.plan.{AggregateCall, StateTypes}

/**
 * The aggregate functions of one frame as one operator over rows of states. The states of all functions are side by side, so that
 * an input row costs one generated call for any number of functions.
 *
 * @param calls
 *   the functions with their filters
 * @param results
 *   for each function, the ordinal of its result in the row of results
 * @param input
 *   the attributes of an element
 * @param keepsStates
 *   whether a state is still used after [[lower]]
 * @param mergeMayFail
 *   whether a failing merge, or a failing copy of a state, is reported as [[MergeFailed]]
 * @param kind
 *   the kind of the frames' elements
 */
final private[execution] class FrameFunctions(
    calls: Seq[AggregateCall],
    results: Seq[Int],
    input: Seq[Attribute],
    keepsStates: Boolean,
    mergeMayFail: Boolean = false,
    kind: ElementKind = ElementKind.InputRows
) {
  private[this] val offsets = calls.scanLeft(0)(_ + _.function.aggBufferAttributes.size)
  private[this] val stateFields = offsets.last

  private[this] val placed: Seq[AggregateFunction] = calls.zip(offsets).map { case (call, offset) =>
    call.function match {
      case function: ImperativeAggregate =>
        val at = function.withNewMutableAggBufferOffset(offset).withNewInputAggBufferOffset(offset)
        if (kind == ElementKind.InputRows) BindReferences.bindReference(at, input)
        else withoutInputs(at)
      case function => function
    }
  }

  private[this] val imperatives: Array[MergeableFunction] = placed
    .zip(calls)
    .zip(offsets)
    .zipWithIndex
    .collect { case (((function: ImperativeAggregate, AggregateCall(description, filter)), offset), i) =>
      kind match {
        case ElementKind.InputRows =>
          val condition = filter.map(GuardedCondition.predicate(_, input))
          MergeableFunction.ofRows(description, function, condition, offset, stateFields)
        case ElementKind.PartialAggregates(firstBuffers) =>
          MergeableFunction.ofPartials(description, function, firstBuffers(i), offset, stateFields)
      }
    }
    .toArray

  /** Replaces the inputs of a function, which are never read, because partial aggregation has read them. */
  private def withoutInputs(function: ImperativeAggregate): AggregateFunction =
    function
      .transform { case a: Attribute => BoundReference(0, a.dataType, a.nullable) }
      .asInstanceOf[AggregateFunction]

  private[this] val stateAttributes = calls.flatMap(_.function.aggBufferAttributes)

  /** The types of a row of states. */
  val stateTypes: Seq[DataType] = stateAttributes.map(_.dataType)

  /** Whether every field of a state has a fixed place and size, so that it can be copied as bytes. */
  val fixedWidth: Boolean = stateTypes.forall(StateTypes.isFixedWidth)

  private def perField(of: (DeclarativeAggregate, AggregateCall) => Seq[Expression]): Seq[Expression] =
    calls.flatMap { call =>
      call.function match {
        case function: DeclarativeAggregate => of(function, call)
        case function                       => function.aggBufferAttributes.map(_ => NoOp)
      }
    }

  private[this] val initial = MutableProjection.create(perField((f, _) => f.initialValues), Nil)

  private[this] val updates = MutableProjection.create(
    if (kind != ElementKind.InputRows) merged
    else
      perField { (function, call) =>
        call.filter.fold(function.updateExpressions) { filter =>
          val isCounted = GuardedCondition(filter)
          function.updateExpressions.zip(function.aggBufferAttributes).map { case (u, a) =>
            If(isCounted, u, a)
          }
        }
      },
    stateAttributes ++ input
  )

  private def merged: Seq[Expression] = perField((_, call) => MergeExpressions.of(call.description))

  // Lazy: ranking functions such as row_number cannot be merged, and never are.
  private[this] lazy val merges =
    MutableProjection.create(
      merged,
      stateAttributes ++ calls.flatMap(_.function.inputAggBufferAttributes)
    )

  /** Generates the code for merges before the first merge, which takes some milliseconds. */
  def prepareToMerge(): Unit = merges: Unit

  private[this] val evaluate = {
    val byOrdinal = results
      .zip(calls.zip(placed).map { case (call, function) => call.description.evaluation(function) })
      .toMap
    MutableProjection.create(
      (0 to results.foldLeft(-1)(math.max(_, _))).map(byOrdinal.getOrElse(_, NoOp)),
      stateAttributes
    )
  }

  private[this] val joined = new JoinedRow

  /** Makes `state` the aggregate of no rows. */
  def clear(state: InternalRow): Unit = {
    initial.target(state)(EmptyRow)
    var i = 0
    while (i < imperatives.length) {
      imperatives(i).initialize(state)
      i += 1
    }
  }

  /** Appends `element` to `state`. */
  def update(state: InternalRow, element: InternalRow): Unit = {
    updates.target(state)(joined(state, element))
    var i = 0
    while (i < imperatives.length) {
      imperatives(i).update(state, element)
      i += 1
    }
  }

  /** Merges `newer` into `state`, which is the older one. */
  def mergeInPlace(state: InternalRow, newer: InternalRow): Unit =
    try {
      merges.target(state)(joined(state, newer))
      var i = 0
      while (i < imperatives.length) {
        imperatives(i).merge(state, newer)
        i += 1
      }
    } catch { case NonFatal(e) if mergeMayFail => throw new MergeFailed(e) }

  /** Writes the merge of `older` and `newer` into `target`. */
  def merge(target: InternalRow, older: InternalRow, newer: InternalRow): Unit =
    try {
      merges.target(target)(joined(older, newer))
      var i = 0
      while (i < imperatives.length) {
        imperatives(i).initialize(target)
        imperatives(i).merge(target, older)
        imperatives(i).merge(target, newer)
        i += 1
      }
    } catch { case NonFatal(e) if mergeMayFail => throw new MergeFailed(e) }

  /** A new state of no rows. */
  def newState(): InternalRow =
    if (fixedWidth) emptyFixedWidthState()
    else {
      val state = new SpecificInternalRow(stateTypes)
      clear(state)
      state
    }

  /** Merges `older` and `newer` into a new state. */
  def combine(older: InternalRow, newer: InternalRow): InternalRow = {
    val state = copyOf(older)
    mergeInPlace(state, newer)
    state
  }

  def copyOf(state: InternalRow): InternalRow = state match {
    case row: UnsafeRow => row.copy()
    case _              =>
      val copy = new SpecificInternalRow(stateTypes)
      copyTo(copy, state)
      copy
  }

  /** Copies `state` into `target`; both hold objects. */
  def copyTo(target: InternalRow, state: InternalRow): Unit = {
    var i = 0
    while (i < imperatives.length) {
      imperatives(i).copyState(state, target)
      i += 1
    }
    i = 0
    while (i < declarativeFields.length) {
      val field = declarativeFields(i)
      target.update(
        field,
        if (state.isNullAt(field)) null else InternalRow.copyValue(state.get(field, stateTypes(field)))
      )
      i += 1
    }
  }

  private[this] lazy val declarativeFields: Array[Int] = placed
    .zip(offsets)
    .collect { case (function: DeclarativeAggregate, offset) =>
      function.aggBufferAttributes.indices.map(offset + _)
    }
    .flatten
    .toArray

  // Functions that may change a state when they evaluate it. They get a copy.
  private[this] val consumers =
    if (keepsStates) imperatives.filter(_.mayChangeReadState) else Array.empty[MergeableFunction]
  private[this] val shown = new GenericInternalRow(stateFields)

  /** Writes the answers for `state` into `target`. */
  def lower(state: InternalRow, target: InternalRow): Unit =
    if (consumers.isEmpty) evaluate.target(target)(state)
    else {
      copyForConsumers(state)
      evaluate.target(target)(shown)
    }

  private def copyForConsumers(state: InternalRow): Unit =
    try {
      var i = 0
      while (i < stateFields) {
        shown.update(i, if (state.isNullAt(i)) null else state.get(i, stateTypes(i)))
        i += 1
      }
      consumers.foreach(_.copyState(state, shown))
    } catch { case NonFatal(e) if mergeMayFail => throw new MergeFailed(e) }

  // Lazy, because it generates code.
  private[this] lazy val emptyState: UnsafeRow = {
    val nulls = stateTypes.map(Literal.create(null, _))
    val state = UnsafeProjection.create(nulls)(EmptyRow).copy()
    clear(state)
    state
  }

  /** A new state of no rows as an unsafe row; only if [[fixedWidth]]. */
  def emptyFixedWidthState(): UnsafeRow = emptyState.copy()
}

/**
 * Thrown if the merge of a function that is part of neither Spark nor Slidewise has failed. Spark's window operator never calls
 * this merge.
 */
final private[execution] class MergeFailed(cause: Throwable)
    extends RuntimeException(s"merging partial aggregates failed: $cause", cause)

private[execution] object MergeFailed {
  val Advice: String =
    "The merge of an aggregate function failed; its frames are recalculated row by row from here on, as Spark does. " +
      s"Name the function in ${SlidewiseSettings.NeverMerge} to recalculate from the start"
}
