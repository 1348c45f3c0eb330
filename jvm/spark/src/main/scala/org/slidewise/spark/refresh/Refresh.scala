package org.slidewise.spark.refresh

import org.apache.spark.sql.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, EvalMode}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Sort}
import org.apache.spark.sql.catalyst.util.quoteIdentifier

import org.slidewise.core.Stable
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.planning.joins.RewriteWindowJoins
import org.slidewise.spark.shims.{LogicalData, SparkSessions}

/**
 * Brings the stored result of a query up to date after rows of tables that it reads have changed.
 *
 * A refresh reads the keys of the changed rows, and the rows within the reach of their windows' frames. It computes the query over
 * these rows, and writes the results that differ from the stored ones. It computes the whole query instead if nothing limits the
 * results that may change, or if it would read more than the share `spark.slidewise.refresh.maxShare` of the table.
 *
 * Cost: besides the query over these rows, a join of these rows with the changed keys, and a join of the results with the stored
 * rows that they replace. Memory: a row for each changed key, and the rows to write, both in Spark's storage memory or on disk.
 */
@Stable
final class Refresh private (
    session: SparkSession,
    query: LogicalPlan,
    target: Target,
    keys: Seq[String],
    changes: Changes
) {

  // Constructed before anything runs, so that unsupported queries and targets are refused first.
  private val columns: Seq[String] = Refresh.columnsOf(query, target.rows)
  private val maintained: Maintained = {
    val identity = keys.map(key => Refresh.columnOf(query.output, key))
    val kept = query.output.filter(target.keeps)
    Maintained.of(StoredResult(query, kept), changes, identity)
  }

  /** Plans the refresh: keys, times, and rows to read and to write. Reads the changed rows, and the keys of the rows to read. */
  def plan(): RefreshPlan = SparkSessions.whileActive(session)(withZones { zones =>
    val all = countOf(maintained.rows)
    val (toRead, toWrite) =
      if (zones.count == 0) (0L, 0L)
      else if (maintained.isWhole) (all, all)
      else (countOf(maintained.rowsToRead(zones)), countOf(maintained.rowsOfResults(zones)))
    val whole = zones.count > 0 && isWhole(zones, toRead, all)
    RefreshPlan.of(
      maintained,
      zones,
      Share(toRead, if (whole) all else toWrite, all),
      if (whole) Some(maxShare) else None
    )
  })

  /** Refreshes the target. */
  def run(): RefreshResult = SparkSessions.whileActive(session)(
    try {
      target.begin()
      withZones { zones =>
        if (zones.count == 0) RefreshResult(isWhole = false, 0L, 0L, 0L)
        else if (isWhole(zones, countOf(maintained.rowsToRead(zones)), countOf(maintained.rows))) {
          target.replace(inOrder(query))
          RefreshResult(isWhole = true, 0L, 0L, 0L)
        } else merged(zones)
      }
    } finally target.close()
  )

  private def merged(zones: Zones): RefreshResult = {
    val results = inOrder(maintained.results(zones))
    val stored = target.rows.selectExpr(columns.map(quoteIdentifier): _*)
    val plan = SparkSessions.queryOf(stored).analyzed
    def column(of: Attribute): Attribute = Refresh.columnOf(plan.output, of.name)
    val inPlace = LogicalData.of(session, maintained.within(plan, zones, column))
    val difference = Difference.of(results, inPlace, keys, target.partitions)
    try {
      if (!difference.isEmpty) target.merge(difference, keys, maintained.limitsOfResults(zones, column))
      RefreshResult(isWhole = false, difference.inserted, difference.updated, difference.deleted)
    } finally difference.close()
  }

  /**
   * Whether to compute the whole query, because all results may change or the share of the rows to read is too large. Compares the
   * sizes of files first, then the row counts in a sample of files, or else the counts of all rows.
   */
  private def isWhole(zones: Zones, toRead: => Long, inTable: => Long): Boolean =
    maintained.isWhole || !isSmall(zones) && {
      val (part, all) = SomeFiles.of(maintained.rows) match {
        case Some(some) => (countOf(some(maintained.rowsToRead(zones))), countOf(some(maintained.rows)))
        case None       => (toRead, inTable)
      }
      part > maxShare * all
    }

  /** Whether the files to read are a small enough share, so that rows need not be counted. */
  private def isSmall(zones: Zones): Boolean = {
    val share = for {
      part <- ScannedBytes.of(LogicalData.of(session, maintained.rowsToScan(zones)))
      all <- ScannedBytes.of(LogicalData.of(session, maintained.rows))
    } yield BigDecimal(part) <= BigDecimal(maxShare) * BigDecimal(all)
    share.contains(true)
  }

  private def maxShare: Double =
    SlidewiseSettings.refreshMaxShare(SparkSessions.of(session).sessionState.conf)

  private def countOf(plan: LogicalPlan): Long = LogicalData.of(session, plan).count()

  private def withZones[A](use: Zones => A): A = {
    val zones = Zones.of(session, maintained.changed, maintained.keys.size, maintained.areRanges)
    try use(zones)
    finally zones.close()
  }

  /** The rows of `plan`, with columns in the order and of the types of the target. */
  private def inOrder(plan: LogicalPlan): DataFrame = {
    val zone = SparkSessions.of(session).sessionState.conf.sessionLocalTimeZone
    val types = target.rows.schema
    val cast = columns.map { name =>
      val column = Refresh.columnOf(plan.output, name)
      val kind = types(name).dataType
      val cast = if (column.dataType == kind) column else Cast(column, kind, Some(zone), EvalMode.ANSI)
      target.written(name, cast) match {
        case same: Attribute => same
        case other           => Alias(other, name)()
      }
    }
    target.checked(LogicalData.of(session, Project(cast, plan)).toDF(columns: _*))
  }
}

object Refresh {

  /**
   * A refresh of `target`, which holds the rows of `query`.
   *
   * @param query
   *   a query over the tables as they are after the change
   * @param target
   *   the name of a table that supports MERGE or consists of partitioned files, or a path as in delta.`path`
   * @param keys
   *   the columns of the result that identify a row
   * @param changes
   *   the changed rows of each changed table, by its name in the query: rows that were added or removed, and both the old and the
   *   new values of rows that were updated. An empty name stands for the only table of the query
   * @param generated
   *   the generated columns of tables, by the name of the table in the query. In each row, such a column has the value of an
   *   expression over other columns, such as `CAST(ts AS DATE)` for `day`. From the range of the order key, the refresh then prunes
   *   partitions by this column. A changed row with a different value fails the refresh; other rows are not checked
   * @throws RefusedRefresh
   *   if a refresh cannot follow the changes through the query, or cannot write to the target
   */
  def of(
      query: Dataset[_],
      target: String,
      keys: Seq[String],
      changes: Map[String, Dataset[_]],
      generated: Map[String, Map[String, String]] = Map.empty
  ): Refresh = SparkSessions.whileActive(query.sparkSession) {
    val session = query.sparkSession
    if (query.isStreaming) RefusedRefresh.refuse("the query is over a stream", "a query over tables")
    if (keys.isEmpty)
      RefusedRefresh.refuse("keys is empty", "the columns that identify a row of the result")
    val plan = RewriteWindowJoins(
      withoutOrder(InlineCTE(alwaysInline = true)(SparkSessions.queryOf(query).analyzed))
    )
    if (changes.isEmpty)
      RefusedRefresh.refuse("changes is empty", "the changed rows of each table of which rows have changed")
    def nodes(table: String): Seq[LogicalPlan] =
      if (table.nonEmpty) SourceTables.named(table, plan)
      else
        changes.get(table) match {
          case Some(rows) if changes.size == 1 => Seq(SourceTables.only(plan, rows.columns.toSeq))
          case _ => RefusedRefresh.refuse("a table has an empty name", "a name of each table")
        }
    val ofNodes = for ((table, columns) <- generated.toSeq; node <- nodes(table)) yield node -> columns
    val known = GeneratedColumns.of(session, ofNodes)
    val tables = changes.toSeq.map { case (name, rows) =>
      val read = nodes(name)
      val columns = ofNodes.collect { case (node, columns) if read.exists(_ eq node) => columns }.distinct
      val checked = columns.foldLeft(rows.toDF())(GeneratedColumns.checked)
      val shown = if (name.isEmpty) "the table" else name
      ChangedTable(shown, read, SparkSessions.queryOf(checked).analyzed)
    }
    val all = Changes.of(plan, tables, known)
    new Refresh(session, plan, Target.named(session, target, plan.schema), keys, all)
  }

  /**
   * The changed rows of a table of Delta Lake since a version, or of Iceberg since a snapshot: rows that were added or removed, and
   * the old and the new values of rows that were updated.
   *
   * @param version
   *   the version from which the stored result was computed
   * @throws RefusedRefresh
   *   if there is no such version, or the table does not record its changes
   */
  def changesSince(session: SparkSession, table: String, version: Long): DataFrame =
    TableFormat
      .of(session, table)
      .fold[DataFrame](
        RefusedRefresh.refuse(
          s"$table is no table of Delta Lake or Iceberg, which tell their changes",
          "a DataFrame of the changed rows"
        )
      )(_.changesSince(session, table, version))

  private def withoutOrder(plan: LogicalPlan): LogicalPlan = plan match {
    case sort: Sort => withoutOrder(sort.child)
    case other      => other
  }

  private def columnsOf(query: LogicalPlan, target: DataFrame): Seq[String] = {
    val ofTarget = target.schema.fields.toSeq
    val (found, expected) =
      (query.output.map(a => Names.folded(a.name)), ofTarget.map(f => Names.folded(f.name)))
    if (found.sorted != expected.sorted)
      RefusedRefresh.refuse(
        s"the query has the columns ${query.output.map(_.name).mkString(", ")}, and the target has ${ofTarget.map(_.name).mkString(", ")}",
        "a query with the columns of the target"
      )
    ofTarget.foreach { field =>
      val kind = columnOf(query.output, field.name).dataType
      if (!Cast.canANSIStoreAssign(kind, field.dataType))
        RefusedRefresh.refuse(
          s"the column ${field.name} of the query is ${kind.sql}, and that of the target is ${field.dataType.sql}",
          "a query with the types of the target"
        )
    }
    ofTarget.map(_.name)
  }

  private def columnOf(columns: Seq[Attribute], name: String): Attribute =
    columns.filter(a => Names.folded(a.name) == Names.folded(name)) match {
      case Seq(one) => one
      case found    =>
        RefusedRefresh.refuse(
          s"${if (found.isEmpty) "no column" else "more than one column"} of the result is named $name",
          s"one of ${columns.map(_.name).mkString(", ")}"
        )
    }
}
