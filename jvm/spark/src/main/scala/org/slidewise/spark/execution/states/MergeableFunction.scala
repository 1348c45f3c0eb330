package org.slidewise.spark.execution.states

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, GenericInternalRow, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.ObjectType
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.expressions.PackedRegisters
import org.slidewise.spark.plan.FunctionDescription

/**
 * An imperative aggregate whose state lies at a known place in a row of states.
 *
 * @param append
 *   appends an element of a frame (the second argument) to a state (the first argument)
 */
sealed abstract private[execution] class MergeableFunction(
    function: ImperativeAggregate,
    append: (InternalRow, InternalRow) => Unit
) {
  final def initialize(state: InternalRow): Unit = function.initialize(state)

  def update(state: InternalRow, element: InternalRow): Unit = append(state, element)

  /** Merges `newer` into `state`, the older one, and leaves `newer` unchanged. */
  def merge(state: InternalRow, newer: InternalRow): Unit

  /** Whether the function may change a state that it should only read. */
  def mayChangeReadState: Boolean = false

  /** Copies the function's state from `state` to `target`. Never calls a user's `merge`. */
  def copyState(state: InternalRow, target: InternalRow): Unit
}

private[execution] object MergeableFunction {
  private type Append = (InternalRow, InternalRow) => Unit

  private class OverRows(function: ImperativeAggregate, append: Append, offset: Int)
      extends MergeableFunction(function, append) {
    private[this] val types = function.aggBufferAttributes.map(_.dataType).toArray

    override def merge(state: InternalRow, newer: InternalRow): Unit = function.merge(state, newer)

    final override def copyState(state: InternalRow, target: InternalRow): Unit = {
      var i = 0
      while (i < types.length) {
        val field = offset + i
        if (state.isNullAt(field)) target.setNullAt(field)
        else target.update(field, copyOf(state.get(field, types(i))))
        i += 1
      }
    }
  }

  /**
   * Copies a value with its bytes. Functions such as `bitmap_construct_agg` change their byte arrays, which Spark's `copyValue`
   * does not copy.
   */
  private def copyOf(value: Any): Any = value match {
    case bytes: Array[Byte] => bytes.clone()
    case other              => InternalRow.copyValue(other)
  }

  /** Merges registers a word at a time. */
  final private class OverRegisters(
      function: ImperativeAggregate,
      words: Int,
      append: Append,
      offset: Int,
      fields: Int
  ) extends OverRows(function, append, offset) {
    private[this] val firstByte = UnsafeRow.calculateBitSetWidthInBytes(fields) + 8L * offset

    override def merge(state: InternalRow, newer: InternalRow): Unit = (state, newer) match {
      case (into: UnsafeRow, from: UnsafeRow) => mergeBytes(into, from)
      case _                                  =>
        var word = offset
        while (word < offset + words) {
          state.setLong(word, PackedRegisters.greatest(state.getLong(word), newer.getLong(word)))
          word += 1
        }
    }

    /** Writes without the row's setters, which would also clear a null bit for each word. */
    private def mergeBytes(into: UnsafeRow, from: UnsafeRow): Unit = {
      val (older, newer) = (into.getBaseObject, from.getBaseObject)
      var at = into.getBaseOffset + firstByte
      val end = at + 8L * words
      val shift = from.getBaseOffset - into.getBaseOffset
      while (at < end) {
        val greatest =
          PackedRegisters.greatest(Platform.getLong(older, at), Platform.getLong(newer, at + shift))
        Platform.putLong(older, at, greatest)
        at += 8L
      }
    }
  }

  final private class OverObjects[T](function: TypedImperativeAggregate[T], append: Append)
      extends MergeableFunction(function, append) {
    override def merge(state: InternalRow, newer: InternalRow): Unit =
      function.mergeBuffersObjects(state, newer)

    override def copyState(state: InternalRow, target: InternalRow): Unit = {
      function.initialize(target)
      function.mergeBuffersObjects(target, state)
    }
  }

  /**
   * Merges the states of functions that may keep, change or return a state that they are given to read, users' functions among
   * them.
   */
  private class OverCopiedObjects[T](
      function: TypedImperativeAggregate[T],
      append: Append,
      offset: Int,
      fields: Int
  ) extends MergeableFunction(function, append) {
    private[this] val copy = new GenericInternalRow(fields)

    override def mayChangeReadState: Boolean = true

    override def copyState(state: InternalRow, target: InternalRow): Unit = {
      val original = state.get(offset, anyObject)
      target.update(
        offset,
        if (original == null || isImmutable(original)) original
        // A function may serialize into a buffer that it uses again, and read strings in place.
        else function.deserialize(function.serialize(original.asInstanceOf[T]).clone())
      )
    }

    private def isImmutable(value: AnyRef): Boolean = value match {
      case _: java.lang.Double | _: java.lang.Long | _: java.lang.Integer | _: java.lang.Float => true
      case _: java.lang.Short | _: java.lang.Byte | _: java.lang.Boolean | _: String           => true
      case _                                                                                   => false
    }

    override def merge(state: InternalRow, newer: InternalRow): Unit = {
      copyState(newer, copy)
      function.mergeBuffersObjects(state, copy)
    }
  }

  /**
   * Merges the states of Spark's theta and tuple sketches. Only a new sketch accepts rows, and only a sketch that was not
   * deserialized accepts other sketches. Rows for other sketches are therefore merged as a sketch of their own, and a
   * deserialized sketch is first merged into a new sketch.
   */
  final private class OverSketches[T](
      function: TypedImperativeAggregate[T],
      append: Append,
      offset: Int,
      fields: Int,
      kinds: SketchKinds
  ) extends OverCopiedObjects(function, append, offset, fields) {
    private[this] val one, opened = new GenericInternalRow(fields)

    override def update(state: InternalRow, element: InternalRow): Unit =
      if (kindOf(state) eq kinds.ofNew) append(state, element)
      else {
        function.initialize(one)
        append(one, element)
        merge(state, one)
      }

    override def merge(state: InternalRow, newer: InternalRow): Unit = {
      if (kindOf(state) eq kinds.ofRead) {
        function.initialize(opened)
        super.merge(opened, state)
        state.update(offset, opened.get(offset, anyObject))
      }
      super.merge(state, newer)
    }

    private def kindOf(state: InternalRow) = state.get(offset, anyObject).getClass
  }

  /** Merges states, of which that of no rows is null. */
  final private class OverNullableObjects[T](
      function: TypedImperativeAggregate[T],
      append: Append,
      offset: Int,
      fields: Int
  ) extends OverCopiedObjects(function, append, offset, fields) {
    override def merge(state: InternalRow, newer: InternalRow): Unit =
      if (!newer.isNullAt(offset)) super.merge(state, newer)
  }

  /** The classes of a function's states: of new states, and of states that have been read from bytes. */
  final private case class SketchKinds(ofNew: Class[_], ofRead: Class[_])

  private def kindsOf[T](function: TypedImperativeAggregate[T]): SketchKinds = {
    val buffer = function.createAggregationBuffer()
    SketchKinds(buffer.getClass, function.deserialize(function.serialize(buffer)).getClass)
  }

  private val anyObject = ObjectType(classOf[AnyRef])

  /**
   * @param known
   *   the description of the function
   * @param function
   *   the function, bound to the input, whose state begins at field `offset` of a row of states with `fields` fields
   * @param filter
   *   the condition for elements that are appended
   */
  def ofRows(
      known: FunctionDescription,
      function: ImperativeAggregate,
      filter: Option[BasePredicate],
      offset: Int,
      fields: Int
  ): MergeableFunction = {
    val append: Append = filter match {
      case None            => (state, row) => function.update(state, row)
      case Some(condition) => (state, row) => if (condition.eval(row)) function.update(state, row)
    }
    of(known, function, append, offset, fields)
  }

  /**
   * @param known
   *   the description of the function
   * @param function
   *   the function, whose state begins at field `offset` of a row of states with `fields` fields
   * @param from
   *   the field of an element at which the function's buffer begins, as partial aggregation leaves it
   */
  def ofPartials(
      known: FunctionDescription,
      function: ImperativeAggregate,
      from: Int,
      offset: Int,
      fields: Int
  ): MergeableFunction = {
    val reading = function.withNewInputAggBufferOffset(from)
    of(known, function, (state, partial) => reading.merge(state, partial), offset, fields)
  }

  private def of(
      known: FunctionDescription,
      function: ImperativeAggregate,
      append: Append,
      offset: Int,
      fields: Int
  ): MergeableFunction = function match {
    case typed: TypedImperativeAggregate[_] if known.mergeKeepsRight     => new OverObjects(typed, append)
    case typed: TypedImperativeAggregate[_] if known.hasStatesOfTwoKinds =>
      new OverSketches(typed, append, offset, fields, kindsOf(typed))
    case typed: TypedImperativeAggregate[_] if known.hasNullForNoRows =>
      new OverNullableObjects(typed, append, offset, fields)
    case typed: TypedImperativeAggregate[_] => new OverCopiedObjects(typed, append, offset, fields)
    case other                              =>
      known.registerWords.fold(new OverRows(other, append, offset)) { words =>
        new OverRegisters(other, words, append, offset, fields)
      }
  }
}
