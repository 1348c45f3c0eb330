package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
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
 * Rows that cost less to read twice than to shuffle. The first read takes the columns that a window aggregates, which the shuffle
 * would write and read with all others. Files of columns and caches give these alone. Rows of a filter are not among them, because it may
 * leave few rows of much that is read.
 */
private[planning] object RowsToReadTwice {
  private val Once = TreeNodeTag[Unit]("slidewise.readOnce")

  /**
   * By how much more rows must have keys, of which there may turn out to be too many. The few that are read until then take a share of
   * the time of the query.
   */
  private val MoreRowsByKey = 8

  /** The first read for a window whose frames are whole partitions; none if `rows` are to be read once. */
  def first(conf: SQLConf, window: SlidingWindowPlan, rows: LogicalPlan): Option[LogicalPlan] =
    if (
      SlidewiseSettings.readsTwice(conf) && window.isOfWholePartitions && isCheap(rows) &&
      (if (window.partitionSpec.isEmpty) isLarge(conf, rows, 1)
       else mayHaveFewKeys(window, rows) && isLarge(conf, rows, MoreRowsByKey))
    ) {
      val read = AttributeSet(window.partitionSpec ++ window.expressions.map(_.expression))
      Some(Project(rows.output.filter(read.contains), rows))
    } else None

  /** The window over rows that are read once. */
  def once(window: LogicalPlan): LogicalPlan = {
    val other = window.clone()
    other.setTagValue(Once, ())
    other
  }

  /** Whether `once` has returned a window. */
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

  private def bytesARow(rows: LogicalPlan): Int = math.max(1, rows.output.map(_.dataType.defaultSize).sum)

  private def isCheap(rows: LogicalPlan): Boolean = rows match {
    case Project(columns, child)   => columns.forall(isCheap) && isCheap(child)
    case Filter(condition, child)  => isOfPartitions(condition, child)
    case relation: LogicalRelation => isOfColumns(relation)
    case cache: InMemoryRelation   => new PlanDeterminism().of(cache.cachedPlan).exists(_.columns.isEmpty)
    case _                         => false
  }

  /** Whether an expression takes no longer to evaluate than a value of a column takes to write and read. */
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

  /** Whether a condition only chooses partitions of a table, so that what it leaves out is not read. */
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
      case files: HadoopFsRelation => isOfColumns(files.fileFormat)
      case _                       => false
    })

  private def isOfColumns(format: FileFormat): Boolean = format match {
    case _: ParquetFileFormat | _: OrcFileFormat => true
    case _                                       => false
  }
}
