package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.optimizer.{NormalizeNaNAndZero, NullPropagation}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, DoubleType, FloatType}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.{AggregateOfCopies, GroupingKeys, NullableColumn, RowsOfFrame}
import org.slidewise.spark.plan.{RowValue, WindowJoin}
import org.slidewise.spark.shims.SparkCollations

/**
 * Converts a `GROUP BY` over a join to a window join. The groups are columns of one table, which is joined with another by equal
 * keys and a range of time.
 *
 * Equal left rows form one group, whose aggregates read each right row once for each left row. The group becomes one row with the
 * number of its left rows, unless a unique key of the left table shows that there is only one.
 */
private[joins] object GroupedJoin {

  /** The aggregate as a window join; or the reason why it has no such form. */
  def of(aggregate: Aggregate): Either[String, LogicalPlan] =
    for {
      joined <- JoinInput.of(aggregate.child, aggregate.groupingExpressions, aggregate.aggregateExpressions)
      filtered = joined.copy(results = ConditionalAggregates.asFiltered(joined))
      input = joined.copy(results = AggregatesOfLeft.replaced(filtered))
      found <- OuterCondition.of(input.both)
      aggregates = ValueOverRows.aggregatesIn(input.results)
      condition = if (aggregates.forall(framing(_, input).isEmpty)) found else found.innermost
      groups <- groupsOf(input, condition)
      calls <- callsOf(aggregates, input, condition)
      join <- {
        val join = groups.join(input, condition, calls)
        WindowJoins.reasonNot(join).toLeft(join)
      }
      rows <- results(input, groups, calls, join)
      _ <- reasonForBroadcast(input, aggregates).toLeft(())
    } yield rows

  /**
   * The reason why Spark's join is as fast: Spark broadcasts a tiny table, so that many left rows have few pairs. None if the join
   * is slower.
   */
  private def reasonForBroadcast(input: JoinInput, aggregates: Seq[AggregateExpression]): Option[String] = {
    val conf = SQLConf.get
    val (least, size) = (SlidewiseSettings.windowJoinMinSize(conf), input.right.stats.sizeInBytes)
    val broadcasts = size < least && size <= conf.autoBroadcastJoinThreshold &&
      input.left.stats.sizeInBytes >= BigInt(least) * 1000 &&
      !aggregates.exists(a => PythonJoinPlanner.isInPython(a.aggregateFunction))
    if (broadcasts)
      Some(
        s"Spark broadcasts the other table, which has $size bytes, less than ${SlidewiseSettings.WindowJoinMinSize}"
      )
    else None
  }

  /**
   * The groups of the aggregation.
   *
   * @param left
   *   one row for each group
   * @param columns
   *   the grouping expressions, each with its column
   * @param times
   *   the number of left rows of a group; none if each group has one
   */
  final private case class Groups(
      left: LogicalPlan,
      columns: Seq[(Expression, Attribute)],
      times: Option[Attribute]
  ) {
    def join(input: JoinInput, condition: OuterCondition, calls: Calls): WindowJoin =
      WindowJoin(
        left,
        input.rightOf(condition),
        condition.leftKeys,
        condition.rightKeys,
        Seq(SortOrder(condition.time, Ascending)),
        calls.all.map(_.child),
        calls.all.map(_.toAttribute),
        times
      )
  }

  private def groupsOf(input: JoinInput, condition: OuterCondition): Either[String, Groups] = {
    val named = input.grouping.map {
      case a: Attribute => a -> a
      case other        => other -> Alias(other, "_group")()
    }
    val read = condition.leftKeys ++ condition.lower ++ condition.upper
    if (notGrouped(read, input).nonEmpty) Left(lacks(notGrouped(read, input)))
    else {
      val left = input.leftRows
      // The group of -0.0 has the value 0.0.
      val isUnique = input.grouping.forall(GroupingKeys.isNormal(_)) && left.distinctKeys.exists(
        _.subsetOf(ExpressionSet(input.grouping))
      )
      val keys = named.map(_._2)
      val each = named.map { case (e, name) => e -> name.toAttribute }
      lazy val several = differing(read, input)
      if (isUnique)
        Right(Groups(if (keys.forall(_.isInstanceOf[Attribute])) left else Project(keys, left), each, None))
      else if (several.nonEmpty)
        Left(
          s"rows of a group may differ in ${several.map(_.sql).mkString(", ")}, which has equal values that differ"
        )
      else {
        val times = Alias(RowsOfFrame.count.toAggregateExpression(), "_times")()
        Right(
          Groups(
            Aggregate(input.grouping, keys :+ times, byKeys(left, input, condition)),
            each,
            Some(times.toAttribute)
          )
        )
      }
    }
  }

  /**
   * The grouped columns that may have different values within a group, texts that their collation counts as equal or -0.0 and 0.0,
   * and that `read` or, of texts, an aggregate distinguishes.
   */
  private def differing(read: Seq[Expression], input: JoinInput): Seq[Attribute] = {
    val grouped = input.grouping.collect {
      case a: Attribute if !SparkCollations.isBinaryStable(a.dataType) => a
    }
    // Slidewise compares a key or a bound that is such a column by the collation.
    def distinguishes(e: Expression, column: Attribute): Boolean =
      e.children.exists(child => child.semanticEquals(column) || distinguishes(child, column))
    val zeros = input.grouping.collect { case a: Attribute if !GroupingKeys.isNormal(a) => a }
    // Whether the expression may differ for -0.0 and 0.0.
    def tellsZeros(e: Expression, column: Attribute): Boolean = e match {
      case _: Attribute | _: KnownFloatingPointNormalized | _: NormalizeNaNAndZero => false
      case _: IsNull | _: IsNotNull                                                => false
      case _: BinaryArithmetic | _: BinaryComparison | _: And | _: Or | _: Not     =>
        e.children.exists(tellsZeros(_, column))
      // Bounds, and the innermost of several.
      case _: RowValue | _: Greatest | _: Least | _: If => e.children.exists(tellsZeros(_, column))
      case cast: Cast if isFraction(cast.dataType)      => tellsZeros(cast.child, column)
      case other                                        => other.references.contains(column)
    }
    def isFraction(dataType: DataType) = dataType == FloatType || dataType == DoubleType
    lazy val all = read ++ input.results.flatMap(_.collect {
      case aggregate: AggregateExpression => aggregate
      case copies: AggregateOfCopies      => copies
    })
    lazy val filters =
      input.results.flatMap(_.collect { case aggregate: AggregateExpression => aggregate.filter }).flatten
    grouped.filter(column => all.exists(distinguishes(_, column))) ++
      zeros.filter(column => (read ++ filters).exists(tellsZeros(_, column)))
  }

  /** The columns of the left table that the expressions read but `GROUP BY` lacks. */
  private def notGrouped(read: Seq[Expression], input: JoinInput): AttributeSet =
    AttributeSet(read) -- AttributeSet(input.grouping.collect { case a: Attribute => a })

  private def lacks(columns: AttributeSet): String = {
    val named = columns.toSeq.map(_.sql).sorted.mkString(", ")
    s"GROUP BY has no $named, which the rows of a group may differ in; add it to GROUP BY"
  }

  /** The left rows, distributed as the join needs them, so that grouping them needs no shuffle of its own. */
  private def byKeys(left: LogicalPlan, input: JoinInput, condition: OuterCondition): LogicalPlan = {
    val keys = condition.leftKeys
    if (keys.nonEmpty && keys.forall(k => input.grouping.exists(_.semanticEquals(k))))
      RepartitionByExpression(keys, left, None)
    else left
  }

  /**
   * The aggregate expressions, each with its call and whether the call has a frame of its own, and the call `found`, which counts
   * the right rows. An aggregate has a frame of its own if its filter reads the left row.
   */
  final private case class Calls(of: Seq[(AggregateExpression, Alias, Boolean)], found: Alias) {
    def all: Seq[Alias] = found +: of.map(_._2)
  }

  private def callsOf(
      aggregates: Seq[AggregateExpression],
      input: JoinInput,
      condition: OuterCondition
  ): Either[String, Calls] = {
    val calls =
      aggregates.map(a => callOf(a, input, condition).map { case (call, framed) => (a, call, framed) })
    calls
      .collectFirst { case Left(reason) => reason }
      .toLeft(Calls(calls.collect { case Right(found) => found }, condition.call(RowsOfFrame.count)))
  }

  private def callOf(
      a: AggregateExpression,
      input: JoinInput,
      condition: OuterCondition
  ): Either[String, (Alias, Boolean)] = {
    val own = framing(a, input)
    val function = ValueOverRows.functionOf(a)
    if (!isOfRight(a.aggregateFunction, input)) Left(whyNot(a, input))
    else if (!a.deterministic) Left("an aggregate is not deterministic")
    else if (!FramedSubquery.isPlain(a)) Left(s"${a.sql} has a subquery")
    else if (own.isEmpty) {
      val rowOfNulls = input.keepsAll && PythonJoinPlanner.isInPython(function)
      val read = if (rowOfNulls) function.transformUp(nullable).asInstanceOf[AggregateFunction] else function
      Right(condition.call(read, a.filter, rowOfNulls) -> false)
    } else
      condition
        .and(own.map(OuterCondition.asOuter(_, input.left)))
        .left
        .map(reason => s"${a.sql} aggregates values of both tables: $reason")
        .flatMap { framed =>
          val absent = notGrouped((framed.lower ++ framed.upper).toSeq, input)
          if (absent.nonEmpty) Left(lacks(absent))
          else Right(framed.call(function, filterOfRight(a, input)) -> true)
        }
  }

  private val nullable: PartialFunction[Expression, Expression] = { case a: Attribute =>
    NullableColumn(a)
  }

  /** The conditions of an aggregate's filter that read the left row. */
  private def framing(a: AggregateExpression, input: JoinInput): Seq[Expression] =
    a.filter.toSeq.flatMap(Conjuncts(_)).filterNot(isOfRight(_, input))

  /** The rest of the filter. */
  private def filterOfRight(a: AggregateExpression, input: JoinInput): Option[Expression] =
    a.filter.toSeq.flatMap(Conjuncts(_)).filter(isOfRight(_, input)).reduceOption(And)

  /** Whether the row of nulls of a left row without right rows may meet the condition. */
  private def meetsNulls(condition: Expression, input: JoinInput): Boolean = {
    val overNulls = condition.transform {
      case a: Attribute if input.right.outputSet.contains(a) => Literal(null, a.dataType)
    }
    NullPropagation(Filter(overNulls, input.left)).expressions.head match {
      case Literal(null, _) | Literal.FalseLiteral => false
      case _                                       => true
    }
  }

  private def isOfRight(e: Expression, input: JoinInput): Boolean =
    e.references.subsetOf(input.right.outputSet)

  private def whyNot(aggregate: AggregateExpression, input: JoinInput): String = {
    val ofLeft = aggregate.references -- input.right.outputSet
    val absent = ofLeft -- AttributeSet(input.grouping.collect { case a: Attribute => a })
    if (absent.nonEmpty && aggregate.references.subsetOf(ofLeft))
      s"${aggregate.sql} aggregates ${absent.map(_.sql).mkString(", ")}, which GROUP BY lacks"
    else if (aggregate.references.subsetOf(ofLeft))
      s"only Spark's operators evaluate the arguments of ${aggregate.sql}; compute them in FROM"
    else s"${aggregate.sql} aggregates values of both tables"
  }

  private def results(
      input: JoinInput,
      groups: Groups,
      calls: Calls,
      join: WindowJoin
  ): Either[String, LogicalPlan] = {
    val hasRows = GreaterThan(calls.found.toAttribute, Literal(0L))
    val values: Seq[Either[String, (Expression, Expression)]] = calls.of.map { case (a, call, isFramed) =>
      val value =
        if (!input.keepsAll || isFramed && !framing(a, input).forall(meetsNulls(_, input)))
          Right(call.toAttribute)
        else if (isFramed)
          ofNoRow(a.copy(filter = filterOfRight(a, input)), input.right.output, groups.times).flatMap {
            missing =>
              if (missing.isEmpty) Right(call.toAttribute)
              else Left(s"${a.sql} may read a row of nulls, depending on the left row")
          }
        else
          ofNoRow(a, input.right.output, groups.times).map {
            case None          => call.toAttribute
            case Some(missing) => If(hasRows, call.toAttribute, missing)
          }
      value.map(a.canonicalized -> _)
    }
    values.collectFirst { case Left(reason) => reason }.toLeft {
      val known = (groups.columns.map { case (e, column) => e.canonicalized -> column } ++
        values.collect { case Right(found) => found }).toMap[Expression, Expression]
      val rows = if (input.keepsAll) join else Filter(hasRows, join)
      Project(
        input.results.map {
          case a: Attribute => named(known(a.canonicalized), a)
          case other        =>
            other
              .transformDown { case e if known.contains(e.canonicalized) => known(e.canonicalized) }
              .asInstanceOf[NamedExpression]
        },
        rows
      )
    }
  }

  private def named(value: Expression, as: Attribute): NamedExpression = value match {
    case a: Attribute if a.exprId == as.exprId => a
    case other                                 => Alias(other, as.name)(as.exprId, as.qualifier)
  }

  /**
   * The value of an aggregate for a group without right rows. The outer join returns a row of nulls for each left row of the group.
   * None if the value is the same as over no rows.
   */
  private def ofNoRow(
      a: AggregateExpression,
      columns: Seq[Attribute],
      times: Option[Attribute]
  ): Either[String, Option[Expression]] = if (PythonJoinPlanner.isInPython(a.aggregateFunction)) Right(None)
  else {
    val found = ValueOverRows.atSomeTimes(a).map { aggregate =>
      val over = new ValueOverRows(aggregate, columns)
      for (none <- over.none; one <- over.nulls(1); two <- over.nulls(2)) yield (none, one, two)
    }
    found
      .find(_.isFailure)
      .getOrElse(found.head)
      .toEither
      .left
      .map(e => s"${a.sql} fails over a row of nulls: $e")
      .flatMap { case (none, one, two) =>
        if (found.distinct.size > 1)
          Left(s"the value of ${a.sql} over a row of nulls depends on the time of the query")
        else if (one == none && two == none) Right(None)
        else if (two == one || times.isEmpty) Right(Some(one))
        else if (one == Literal(1L) && two == Literal(2L)) Right(times)
        else Left(s"the value of ${a.sql} over rows of nulls depends on their number")
      }
  }
}
