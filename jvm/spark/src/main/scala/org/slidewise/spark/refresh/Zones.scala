package org.slidewise.spark.refresh

import org.apache.spark.sql.{functions, DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.LeftSemi
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._
import org.apache.spark.storage.StorageLevel

import org.slidewise.spark.shims.{LogicalData, SparkSessions}

/**
 * The keys whose results change. Each key has a range of the order key for these results, and a wider range for the rows to read. A
 * key may have several such ranges. A null bound means no limit.
 *
 * Memory: a row for each key and range, in Spark's storage memory, on disk where that is full. `close` releases it.
 */
final private[refresh] class Zones private (
    rows: DataFrame,
    hull: Map[String, Literal],
    areRanges: Boolean,
    fewKeys: Option[Seq[InternalRow]]
) extends AutoCloseable {

  /** The number of ranges of keys. */
  def count: Long = Zones.countIn(hull)

  /** The range of the order key of all results that change. */
  val results: KeyRange = KeyRange(hull.get(Zones.First), hull.get(Zones.Last))

  /** The range of the order key of all rows to read. */
  val toRead: KeyRange = KeyRange(hull.get(Zones.ReadFirst), hull.get(Zones.ReadLast))

  /**
   * The range from the least value of one further column of the changed rows to the greatest value of another. A column that the
   * changed rows do not have sets no limit.
   */
  def between(least: String, greatest: String): KeyRange = KeyRange(hull.get(least), hull.get(greatest))

  /** For each pair, the range from the least value of its first expression over `plan` to the greatest value of its second one. */
  def rangesIn(plan: LogicalPlan, ends: Seq[(Option[Expression], Option[Expression])]): Seq[KeyRange] = {
    val columns = ends.zipWithIndex.flatMap { case ((least, greatest), at) =>
      least.map(Alias(_, s"${Zones.Least}$at")()) ++ greatest.map(Alias(_, s"${Zones.Greatest}$at")())
    }
    if (columns.isEmpty) ends.map(_ => KeyRange(None, None))
    else {
      val values = LogicalData.of(rows.sparkSession, Project(columns, plan))
      val found = Zones.onlyRow(values.selectExpr(Zones.furtherOf(values): _*))
      ends.indices.map(at => KeyRange(found.get(s"${Zones.Least}$at"), found.get(s"${Zones.Greatest}$at")))
    }
  }

  /**
   * The condition that the order key is in the range. Its constants prune partitions and files, which a join with the keys cannot
   * do.
   */
  def limits(order: Expression, range: KeyRange): Option[Expression] = {
    val key = OrderKey.bound(order)
    range.contains(key).map(ifNull(key, _))
  }

  /**
   * The condition that keys are among the changed keys; none if there are many changed keys. Its constants prune buckets, files and
   * pages.
   */
  def limits(keys: Seq[Expression]): Option[Expression] = {
    val conditions = for {
      found <- fewKeys.toSeq
      (key, at) <- keys.zipWithIndex
      if Zones.hasLiterals(key.dataType) && key.dataType == rows.schema(Zones.key(at)).dataType
    } yield {
      val (nulls, values) = found.map(_.get(at, key.dataType)).distinct.partition(_ == null)
      val among = if (values.isEmpty) None else Some(In(key, values.map(Literal(_, key.dataType))))
      (among.toSeq ++ nulls.map(_ => IsNull(key))).reduce[Expression](Or(_, _))
    }
    conditions.reduceOption[Expression](And(_, _))
  }

  /** The rows of `plan` that conditions with constants do not exclude from the zones: a superset of the rows in the zones. */
  private def pruned(
      plan: LogicalPlan,
      keys: Seq[Expression],
      order: Option[Expression],
      range: KeyRange
  ): LogicalPlan =
    (limits(keys).toSeq ++ order.flatMap(limits(_, range)))
      .reduceOption[Expression](And(_, _))
      .fold(plan)(Filter(_, plan))

  /** The rows of `plan` that conditions with constants do not exclude: a superset of the rows that the results read. */
  def prunedToRead(plan: LogicalPlan, keys: Seq[Expression], order: Option[Expression]): LogicalPlan =
    pruned(plan, keys, order, toRead)

  /** The rows of `plan` that the results read. */
  def readBy(plan: LogicalPlan, keys: Seq[Expression], order: Option[Expression]): LogicalPlan =
    in(prunedToRead(plan, keys, order), keys, order, Zones.ReadFirst, Zones.ReadLast)

  /** The results of `plan` that change. */
  def changedIn(plan: LogicalPlan, keys: Seq[Expression], order: Option[Expression]): LogicalPlan =
    in(pruned(plan, keys, order, results), keys, order, Zones.First, Zones.Last)

  /** Also keeps null order keys if ranges may have no limit, because null keys come before or after all others. */
  private def ifNull(key: Expression, condition: Expression): Expression =
    if (areRanges) condition else Or(IsNull(key), condition)

  private def in(
      plan: LogicalPlan,
      keys: Seq[Expression],
      order: Option[Expression],
      lower: String,
      upper: String
  ): LogicalPlan =
    if (keys.isEmpty) plan
    else {
      val zones = SparkSessions.queryOf(rows).analyzed
      def column(name: String): Attribute = zones.output.find(_.name == name).get
      val same = keys.zipWithIndex.map { case (key, at) => EqualNullSafe(key, column(Zones.key(at))) }
      val within = for {
        key <- order.map(OrderKey.bound).toSeq
        condition <- Seq(
          Or(IsNull(column(lower)), GreaterThanOrEqual(key, column(lower))),
          Or(IsNull(column(upper)), LessThanOrEqual(key, column(upper)))
        )
      } yield ifNull(key, condition)
      Join(plan, zones, LeftSemi, Some((same ++ within).reduce[Expression](And(_, _))), JoinHint.NONE)
    }

  override def close(): Unit = rows.unpersist()
}

private[refresh] object Zones {
  val First = "first_result"
  val Last = "last_result"
  val ReadFirst = "first_read"
  val ReadLast = "last_read"
  val Bounds: Seq[String] = Seq(First, Last, ReadFirst, ReadLast)

  // The prefixes of the names of further columns.
  val Least = "least_"
  val Greatest = "greatest_"

  private val Count = "zones"

  def key(at: Int): String = s"key_$at"

  /** The maximum number of keys in a condition with constants. */
  private val FewKeys = 100

  /** Whether equal values of the type are equal constants. */
  private def hasLiterals(kind: DataType): Boolean = kind match {
    case StringType | BooleanType | DateType | TimestampType | TimestampNTZType => true
    case ByteType | ShortType | IntegerType | LongType | _: DecimalType         => true
    case _                                                                      => false
  }

  /**
   * The zones of changed rows, which have keys and bounds. Overlapping ranges of a key become one range.
   *
   * @param areRanges
   *   whether the ranges to read have limits on both sides
   */
  def of(session: SparkSession, changed: LogicalPlan, keyCount: Int, areRanges: Boolean): Zones = {
    val rows = LogicalData.of(session, changed)
    val keys = (0 until keyCount).map(key)
    val zones = (if (areRanges && keyCount > 0) separate(rows, keys) else together(rows, keys))
      .persist(StorageLevel.MEMORY_AND_DISK)
    try {
      val whole =
        onlyRow(zones.selectExpr(s"count(*) AS $Count" +: (Bounds.map(hull) ++ furtherOf(zones)): _*))
      val few =
        if (keyCount == 0 || countIn(whole) == 0 || countIn(whole) > FewKeys) None
        else Some(internal(zones.select(keys.map(zones.apply): _*)))
      new Zones(zones, whole, areRanges, few)
    } catch { case e: Throwable => zones.unpersist(); throw e }
  }

  /** The rows with Spark's internal values: those of Row do not hold all times and dates. */
  private def internal(rows: DataFrame): Seq[InternalRow] =
    SparkSessions.queryOf(rows).toRdd.map(_.copy()).collect().toSeq

  /** The values of the only row, without nulls. */
  private def onlyRow(rows: DataFrame): Map[String, Literal] = {
    val row = internal(rows).head
    val values =
      for ((field, at) <- rows.schema.fields.toSeq.zipWithIndex if !row.isNullAt(at))
        yield field.name -> Literal(row.get(at, field.dataType), field.dataType)
    values.toMap
  }

  private def countIn(hull: Map[String, Literal]): Long = hull(Count).value.asInstanceOf[Long]

  private def together(rows: DataFrame, keys: Seq[String]): DataFrame =
    rows
      .groupBy(keys.map(rows.apply): _*)
      .agg(
        functions.expr("count(*) AS changes"),
        (Bounds.map(hull) ++ furtherOf(rows)).map(functions.expr): _*
      )
      .where("changes > 0")
      .drop("changes")

  private def separate(rows: DataFrame, keys: Seq[String]): DataFrame = {
    val window = s"PARTITION BY ${keys.mkString(", ")} ORDER BY $ReadFirst ROWS"
    val withLast = rows.selectExpr(
      "*",
      s"max($ReadLast) OVER ($window BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached",
      s"bool_or($ReadFirst IS NULL OR $ReadLast IS NULL) OVER (PARTITION BY ${keys.mkString(", ")}) AS is_whole"
    )
    val numbered = withLast.selectExpr(
      (keys ++ Bounds) :+
        s"IF(is_whole, 0, sum(IF($ReadFirst <= reached, 0, 1)) OVER ($window UNBOUNDED PRECEDING)) AS range": _*
    )
    together(numbered, keys :+ "range").drop("range")
  }

  /** The least and the greatest values of further columns. */
  private def furtherOf(rows: DataFrame): Seq[String] = rows.columns.toSeq.collect {
    case column if column.startsWith(Least)    => s"min($column) AS $column"
    case column if column.startsWith(Greatest) => s"max($column) AS $column"
  }

  /** The outermost of several bounds, in SQL; null if one of them is null. */
  private def hull(bound: String): String = {
    val extreme = if (bound == First || bound == ReadFirst) "min" else "max"
    s"IF(bool_or($bound IS NULL), NULL, $extreme($bound)) AS $bound"
  }
}
