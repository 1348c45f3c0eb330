package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.PYTHON_UDF
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.WriteFiles

import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.OrderSensitivity

/**
 * Finds the windows below an operator whose result depends on the placement of rows: their partition, their position in it, or the
 * other rows of the partition. Examples are `monotonically_increasing_id()`, `rand(seed)`, LIMIT, sorts within partitions, functions
 * of a whole partition or of a group, and aggregates whose value depends on the order of their rows, such as `max_by` with ties.
 *
 * Spark has all rows of a window without PARTITION BY in one partition, in the order of the window. Joins, aggregations and sorts
 * above need no shuffle then. Only a shuffle that the query requests ends the dependence.
 */
private[planning] object PlacesAbove {
  private val Read = TreeNodeTag[Unit]("slidewise.placesRead")

  /** The reason why only one task evaluates such a window, for a person to read. */
  val Reason = "an operator above depends on which rows its partition has, and in which order"

  /** Marks the windows of a query on whose placement of rows a result depends. Visits each node once. */
  def note(query: LogicalPlan): Unit = query match {
    // A LIMIT at the root returns rows of the first partitions.
    case GlobalLimit(_, LocalLimit(_, child)) => note(child, isRead = false)
    // The query is read as an RDD or by a typed operation.
    case rows: DeserializeToObject => note(rows.child, isRead = true)
    case other                     => note(other, isRead = false)
  }

  /** @param isWritten whether the rows are written to files, which Spark sorts within partitions itself */
  private def note(plan: LogicalPlan, isRead: Boolean, isWritten: Boolean = false): Unit = {
    if (isRead && plan.isInstanceOf[Window]) plan.setTagValue(Read, ())
    val below = !shuffles(plan) && (isRead || isSortedWithin(plan) && !isWritten || reads(plan))
    val writes = plan match {
      case _: Command | _: WriteFiles => true
      case _: Project                 => isWritten
      case _                          => false
    }
    plan.children.foreach(note(_, below, writes))
  }

  private def isSortedWithin(plan: LogicalPlan): Boolean = plan match {
    case sort: Sort => !sort.global
    case _          => false
  }

  /** Whether `note` has marked a window. */
  def of(window: LogicalPlan): Boolean = window.getTagValue(Read).isDefined

  /** Whether `note` has marked the window that an operator evaluates. */
  def of(operator: SparkPlan): Boolean = operator.logicalLink.exists(of)

  private def shuffles(plan: LogicalPlan): Boolean = plan match {
    // A shuffle from one partition to one partition keeps the order of the rows.
    case repartition: RepartitionOperation => repartition.shuffle && repartition.numPartitions > 1
    case _: RebalancePartitions            => true
    case _                                 => false
  }

  private def reads(plan: LogicalPlan): Boolean = plan match {
    case Repartition(1, false, _)                                              => true
    case _: Sample | _: ScriptTransformation                                   => true
    case _: MapPartitions | _: MapPartitionsInR | _: MapPartitionsInRWithArrow => true
    case LocalLimit(_, child)                                                  => !isSorted(child)
    case offset: Offset                                                        => !isSorted(offset.child)
    case window: Window if window.orderSpec.nonEmpty => window.expressions.exists(isByPlace)
    case _: Aggregate | _: Window                    =>
      plan.expressions.exists(e => isByPlace(e) || e.exists(isOfOrder))
    // The class of mapInArrow has a different name in 3.5.
    case other => OfPartitions(other.nodeName) || other.expressions.exists(isByPlace)
  }

  private def isSorted(plan: LogicalPlan): Boolean = plan match {
    case sort: Sort                                              => sort.global
    case _: Project | _: LocalLimit | _: GlobalLimit | _: Offset => isSorted(plan.children.head)
    case _                                                       => false
  }

  // Functions of whole partitions, and functions of groups, which read the rows of a group in their order in the partition.
  private val OfPartitions = Set("MapInPandas", "MapInArrow", "PythonMapInArrow") ++
    Set("MapGroups", "CoGroup", "FlatMapGroupsInPandas", "FlatMapGroupsInArrow", "FlatMapCoGroupsInPandas") ++
    Set("FlatMapCoGroupsInArrow", "FlatMapGroupsInR", "FlatMapGroupsInRWithArrow") ++
    Set("FlatMapGroupsWithState", "FlatMapGroupsInPandasWithState") ++
    Set("TransformWithState", "TransformWithStateInPySpark")

  private def isOfOrder(expression: Expression): Boolean = expression match {
    case function: AggregateFunction =>
      Families.of(function).orderSensitivity match {
        case OrderSensitivity.NONE | OrderSensitivity.DIGITS => false
        case _                                               => true
      }
    case _ => false
  }

  private def isByPlace(expression: Expression): Boolean =
    !expression.deterministic && expression.exists(isSourceByPlace) ||
      expression.containsPattern(PYTHON_UDF) && expression.exists {
        case python: PythonUDF => IteratorsOfPartitions(python.evalType)
        case _                 => false
      }

  /** The types of pandas and Arrow functions that read an iterator over the batches of a partition. */
  private val IteratorsOfPartitions = Set(204, 251)

  private def isSourceByPlace(expression: Expression): Boolean =
    !expression.deterministic && expression.children.forall(_.deterministic) && (expression match {
      // Without an explicit seed, each query has a new one.
      case random: Rand                                                    => !random.hideSeed
      case random: Randn                                                   => !random.hideSeed
      case _: Uuid | _: CurrentBatchTimestamp | _: CallMethodViaReflection => false
      case _                                                               => true
    })
}
