package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.{FileFormat, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.parallel.{PlanDeterminism, TwiceReadWindowExec}
import org.slidewise.spark.plan.{SlidingWindowPlan, UnboundedFunctions, WindowKeys}

/**
 * Finds rows that cost less to read twice than to shuffle. The first read takes only the columns that a window aggregates, from
 * columnar files or caches. A shuffle would write and read these columns with all others. Excludes filters on columns other than
 * partition columns, because few of the rows that are read may pass.
 */
private[planning] object RowsToReadTwice {
  private val Once = TreeNodeTag[Unit]("slidewise.readOnce")

  /**
   * The factor by which a table with keys must be larger than a table without. The first read stops if it finds too many keys, and
   * the rows read until then take a share of the query's time.
   */
  private val MoreRowsByKey = 8

  private val MostBytesAColumn = 8

  /** The plan of the first read for a window whose frames are whole partitions; none if the query is to read `rows` once. */
  def first(conf: SQLConf, window: SlidingWindowPlan, rows: LogicalPlan): Option[LogicalPlan] =
    if (
      SlidewiseSettings.readsTwice(conf) && window.isOfWholePartitions && isCheap(rows) &&
      (if (window.partitionSpec.isEmpty) isLarge(conf, rows, 1)
       else mayHaveFewKeys(window, rows) && isLarge(conf, rows, MoreRowsByKey))
    ) {
      val read = AttributeSet(window.partitionSpec ++ window.expressions.map(_.expression))
      Some(Project(rows.output.filter(read.contains), rows))
    } else None

  /** The window of `plan` over `rows`, marked so that the planner reads the rows once. */
  def once(plan: SlidingWindowPlan, rows: LogicalPlan): LogicalPlan = {
    val window = Window(plan.expressions.map(_.expression), plan.partitionSpec, plan.orderSpec, rows)
    window.setTagValue(Once, ())
    window
  }

  /** Whether `once` has marked a window. */
  def areReadOnce(window: LogicalPlan): Boolean = window.getTagValue(Once).isDefined

  private def mayHaveFewKeys(window: SlidingWindowPlan, rows: LogicalPlan): Boolean = {
    val columns = rows.stats.attributeStats
    UnboundedFunctions.of(window).areGenerated && WindowKeys.haveBytes(window.partitionSpec) &&
    window.partitionSpec.forall {
      case key: Attribute =>
        columns.get(key).flatMap(_.distinctCount).forall(_ <= TwiceReadWindowExec.MostKeys)
      case _ => true
    }
  }

  private def isLarge(conf: SQLConf, rows: LogicalPlan, times: Int): Boolean = {
    val statistics = rows.stats
    val most = statistics.rowCount.getOrElse(statistics.sizeInBytes / bytesARow(rows))
    most >= times * SlidewiseSettings.parallelMinRows(conf)
  }

  /** The size of a row of columnar files, where equal texts are stored once. */
  private def bytesARow(rows: LogicalPlan): Int =
    math.max(1, rows.output.map(column => math.min(column.dataType.defaultSize, MostBytesAColumn)).sum)

  private def isCheap(rows: LogicalPlan): Boolean = rows match {
    case Project(columns, child)   => columns.forall(isCheap) && isCheap(child)
    case Filter(condition, child)  => isOfPartitions(condition, child)
    case relation: LogicalRelation => isOfColumns(relation)
    // Rows that do not fit in memory are computed again for each read if they are not on disk.
    case cache: InMemoryRelation =>
      cache.cacheBuilder.storageLevel.useDisk &&
      new PlanDeterminism().of(cache.cachedPlan).exists(_.columns.isEmpty)
    case _ => false
  }

  /** Whether evaluating an expression costs no more than writing and reading a value of a column in a shuffle. */
  private def isCheap(expression: Expression): Boolean = expression match {
    case _: Attribute | _: Literal => true
    case Alias(child, _)           => isCheap(child)
    case _                         =>
      isOfNumbers(expression) && isNumber(expression.dataType) &&
      expression.children.forall(e => isNumber(e.dataType) && isCheap(e))
  }

  private def isOfNumbers(expression: Expression): Boolean = expression match {
    case _: UnaryMinus | _: UnaryPositive | _: BinaryArithmetic | _: Cast                 => true
    case _: BinaryComparison | _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: If => true
    case _                                                                                => false
  }

  private def isNumber(dataType: DataType): Boolean = dataType match {
    case _: NumericType | BooleanType                => true
    case DateType | TimestampType | TimestampNTZType => true
    case _                                           => false
  }

  /** Whether a condition only selects partitions of a table, so that Spark does not read the other rows. */
  private def isOfPartitions(condition: Expression, child: LogicalPlan): Boolean = child match {
    case relation: LogicalRelation =>
      relation.relation match {
        case files: HadoopFsRelation =>
          val columns = files.partitionSchema.names.toSet
          condition.deterministic && !SubqueryExpression.hasSubquery(condition) &&
          condition.references.forall(a => columns(a.name)) && isOfColumns(relation)
        case _ => false
      }
    case _ => false
  }

  private def isOfColumns(relation: LogicalRelation): Boolean =
    !relation.isStreaming && (relation.relation match {
      case files: HadoopFsRelation => isOfColumns(files.fileFormat) && readsAllFiles(files)
      case _                       => false
    })

  /** Whether a read fails if a file is missing or damaged. Otherwise the second read may lack rows of the first one. */
  private def readsAllFiles(files: HadoopFsRelation): Boolean = {
    val options = new FileSourceOptions(CaseInsensitiveMap(files.options))
    !options.ignoreMissingFiles && !options.ignoreCorruptFiles
  }

  private def isOfColumns(format: FileFormat): Boolean = format match {
    case _: ParquetFileFormat | _: OrcFileFormat => true
    case _                                       => false
  }
}
