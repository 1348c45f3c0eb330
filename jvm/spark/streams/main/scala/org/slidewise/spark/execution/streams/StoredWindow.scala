package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.execution.aggregate.ScalaAggregator
import org.apache.spark.sql.types.{DataType, DateType, TimestampNTZType, TimestampType}

import org.slidewise.spark.plan.{FramePlan, SlidingWindowPlan, WindowSql}

/**
 * A window over a stream as its checkpoint records it.
 *
 * @param frames
 *   in the order of their sections of the state; the functions in the order of their fields
 * @param input
 *   the columns of the rows that wait, in their order
 */
final private[streams] case class StoredWindow(
    frames: Seq[StoredFrame],
    partitionBy: Seq[String],
    orderBy: String,
    input: Seq[StoredColumn],
    mode: String
) {

  /**
   * Where the parts of this window are in `stored`.
   *
   * @return
   *   none if `stored` is another window; two that differ in the order of expressions, frames or columns are the same
   */
  def layoutIn(stored: StoredWindow): Option[StateLayout] =
    for {
      _ <- Option
        .when(partitionBy == stored.partitionBy && orderBy == stored.orderBy && mode == stored.mode)(())
      columns <- StoredWindow.places(stored.input, input)(column => column)
      frameOrder <- StoredWindow.places(stored.frames, frames)(_.identity)
    } yield StateLayout(
      columns,
      stored.frames.zip(frameOrder).map { case (kept, index) =>
        FrameLayout(index, StoredWindow.places(kept.functions, frames(index).functions)(_.sql).get)
      }
    )

  /** This window in the order of `layout`. */
  def in(layout: StateLayout): StoredWindow = copy(
    frames = layout.frames.map { place =>
      val frame = frames(place.frame)
      frame.copy(functions = place.functions.map(frame.functions))
    },
    input = layout.columns.map(input)
  )

  override def toString: String =
    s"${frames.mkString("; ")} PARTITION BY ${partitionBy.mkString(", ")} ORDER BY $orderBy OF ${input.mkString(", ")} " +
      s"IN MODE $mode"
}

/**
 * How the parts of a query's window are ordered in the state.
 *
 * @param columns
 *   the ordinals of the input's columns
 */
final private[streams] case class StateLayout(columns: Seq[Int], frames: Seq[FrameLayout]) {

  def input(attributes: Seq[Attribute]): Seq[Attribute] = columns.map(attributes)

  def framesOf(plan: SlidingWindowPlan): SlidingWindowPlan = {
    val stored = frames.map { place =>
      val frame = plan.rowWise.frames(place.frame)
      frame.copy(aggregates = place.functions.map(frame.aggregates))
    }
    plan.copy(rowWise = plan.rowWise.copy(frames = stored))
  }
}

private[streams] object StateLayout {

  /** The order of the query. */
  def of(window: StoredWindow): StateLayout = StateLayout(
    window.input.indices,
    window.frames.zipWithIndex.map { case (frame, i) => FrameLayout(i, frame.functions.indices) }
  )
}

/** The ordinal of a frame in the query, and those of its functions. */
final private[streams] case class FrameLayout(frame: Int, functions: Seq[Int])

private[streams] object StoredWindow {

  /** For each of `stored` the ordinal of an equal one of `found`, each used once; none if they are not the same. */
  private def places[A](stored: Seq[A], found: Seq[A])(key: A => Any): Option[Seq[Int]] =
    Option.when(stored.size == found.size)(stored).flatMap {
      _.foldLeft(Option(Vector.empty[Int])) { (used, wanted) =>
        used.flatMap { places =>
          val next = found.indices.find(i => !places.contains(i) && key(found(i)) == key(wanted))
          next.map(places :+ _)
        }
      }
    }

  /** The window of a query, the same in each of its runs. */
  def of(
      plan: SlidingWindowPlan,
      input: Seq[Attribute],
      mode: String,
      computed: Map[String, String]
  ): StoredWindow = {
    val columns = new ColumnNames(input, computed)
    StoredWindow(
      plan.rowWise.frames.map(frame =>
        StoredFrame(WindowSql.of(frame.frame), StoredFrame.stateOf(frame), functionsOf(frame, columns))
      ),
      plan.partitionSpec.map(columns.sql),
      columns.sql(plan.eventTimeOrder.child),
      input.map(a => StoredColumn(columns.sql(a), a.dataType.sql)),
      mode
    )
  }

  private def functionsOf(frame: FramePlan, columns: ColumnNames) =
    frame.aggregates.map(a => stored(a.function, a.filter, a.guard, columns))

  /** An expression over a stream's columns, by their names. */
  def sqlOf(expression: Expression): String =
    new ColumnNames(expression.references.toSeq, Map.empty).sql(expression)

  /** Aggregates of a stream's columns. */
  def functionsOf(aggregates: Seq[AggregateExpression]): Seq[StoredFunction] = {
    val columns = new ColumnNames(aggregates.flatMap(_.references).distinctBy(_.exprId), Map.empty)
    aggregates.map(a => stored(a.aggregateFunction, a.filter, guard = None, columns))
  }

  private def stored(
      function: AggregateFunction,
      filter: Option[Expression],
      guard: Option[AggregateFunction],
      columns: ColumnNames
  ) = StoredFunction(
    columns.sql(function) + filter.fold("")(f => s" FILTER (WHERE ${columns.sql(f)})"),
    function.getClass.getName,
    bufferOf(function, columns),
    objectTypeOf(function),
    guard.toSeq.flatMap(bufferOf(_, columns))
  )

  // Some functions name fields by the SQL of their arguments, in which a column may have the name of its table.
  private def bufferOf(function: AggregateFunction, columns: ColumnNames) = columns.named(function) match {
    case named: AggregateFunction => named.aggBufferAttributes.map(a => StoredColumn(a.name, a.dataType.sql))
    case other                    => throw new IllegalStateException(s"$other is no aggregate function")
  }

  private def objectTypeOf(function: AggregateFunction): Option[String] = function match {
    case user: ScalaAggregator[_, _, _] => Some(user.bufferEncoder.schema.sql)
    case _                              => None
  }

  /**
   * A window in format 1: one text, in the order of the query.
   *
   * @param computed
   *   what the columns `_w0` and so on stand for; not always recorded
   */
  final case class Text(window: String, computed: Map[String, String]) {
    def agrees(other: Text): Boolean = window == other.window && computed.forall { case (column, sql) =>
      other.computed.get(column).forall(_ == sql)
    }

    override def toString: String =
      if (computed.isEmpty) window
      else
        computed.toSeq.sorted
          .map { case (column, sql) => s"$column = $sql" }
          .mkString(s"$window WITH ", ", ", "")
  }

  def textOf(
      plan: SlidingWindowPlan,
      input: Seq[Attribute],
      mode: String,
      computed: Map[String, String]
  ): Text = {
    def sql(expression: Expression) = withoutTimes(expression.transform { case a: AttributeReference =>
      a.withQualifier(Nil)
    }).sql
    val frames = plan.rowWise.frames.map { frame =>
      val functions =
        frame.aggregates.map(a => sql(a.function) + a.filter.fold("")(f => s" FILTER (WHERE ${sql(f)})"))
      s"${functions.mkString(", ")} OVER ${WindowSql.of(frame.frame)}"
    }
    val columns = input.map(a => s"${a.name} ${a.dataType.sql}")
    Text(
      s"${frames.mkString("; ")} PARTITION BY ${plan.partitionSpec.map(sql).mkString(", ")} " +
        s"ORDER BY ${sql(plan.eventTimeOrder.child)} OF ${columns.mkString(", ")} IN MODE $mode",
      computed
    )
  }

  /** Times of the batch, such as now(), are another literal each time. */
  def withoutTimes(expression: Expression): Expression = expression.transform {
    case Literal(_, moment @ (TimestampType | TimestampNTZType | DateType)) =>
      AttributeReference(s"<${moment.sql}>", moment)()
  }
}

/**
 * Names columns in SQL by what identifies them between runs: the name, or the expression that Spark's analyzer has moved out of
 * the window to a column such as `_w0`; and the type, where columns of other types have the same name. Planning refuses columns of
 * the same name and type.
 */
final private class ColumnNames(input: Seq[Attribute], computed: Map[String, String]) {
  private[this] val names: Map[ExprId, String] = input
    .groupBy(_.name)
    .flatMap { case (name, same) =>
      val known = computed.getOrElse(name, name)
      if (same.size == 1) Seq(same.head.exprId -> known)
      else same.map(a => a.exprId -> s"$known#${a.dataType.sql}")
    }

  def sql(expression: Expression): String = named(StoredWindow.withoutTimes(expression)) match {
    case function: AggregateFunction => WindowSql.of(function)
    case other                       => other.sql
  }

  /** The expression over columns whose SQL is their name. */
  def named(expression: Expression): Expression = expression.transform { case a: AttributeReference =>
    ColumnNames.Named(names.getOrElse(a.exprId, a.name), a.dataType)
  }
}

private object ColumnNames {
  final private case class Named(name: String, dataType: DataType) extends LeafExpression with Unevaluable {
    override def nullable: Boolean = true
    override def sql: String = name
  }
}
