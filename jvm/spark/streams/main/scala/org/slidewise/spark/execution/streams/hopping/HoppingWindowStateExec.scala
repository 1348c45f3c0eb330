package org.slidewise.spark.execution.streams.hopping

import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, Distribution, Partitioning}
import org.apache.spark.sql.catalyst.rules.RuleId
import org.apache.spark.sql.catalyst.trees.TreePatternBits
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.BooleanType

import org.slidewise.spark.execution.hopping.{SelectsWindows, WindowSelection}
import org.slidewise.spark.execution.streams.{CancellationCheck, OperatorFolder}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{AggregationIdentity, HoppingWindowPlan}
import org.slidewise.spark.shims.SparkStreaming._

/**
 * Keeps the partial aggregates of hopping windows over a stream by key and pane, and returns the panes of the windows that a
 * batch emits. In append mode, these are the windows that the watermark has passed. In update mode, these are the windows with a
 * pane of the batch. In complete mode, these are all windows.
 *
 * Cost: a read and a write of the state for each key and pane of a batch. Append and update mode scan the whole state in a batch
 * in which the watermark passes the end of a window. Update mode also scans the panes of each key of the batch. Complete mode
 * scans the whole state in each batch.
 *
 * @param place
 *   the index of the aggregation among those over hopping windows of the query
 * @param identity
 *   the identity of the aggregation; none in a plan of a query that has not been started
 * @param touched
 *   the boolean output column that is true for a pane with rows of the batch
 * @param assigned
 *   the state, the watermarks and the output mode, which Spark's rules assign
 */
case class HoppingWindowStateExec(
    plan: HoppingWindowPlan,
    place: Int,
    identity: Option[AggregationIdentity],
    touched: Attribute,
    child: SparkPlan,
    assigned: AssignedAggregation = AssignedAggregation.Nothing
) extends UnaryExecNode
    with StateStoreWriter
    with SelectsWindows {
  import HoppingWindowStateExec.{Append, Complete, Update}

  override def nodeName: String = "HoppingWindowState"
  override def stateInfo: Option[StatefulOperatorStateInfo] = assigned.state.info
  private[spark] def outputMode: Option[OutputMode] = assigned.mode
  override def shortName: String = HoppingWindowStateExec.ShortName

  override def output: Seq[Attribute] = plan.partial :+ touched
  override def producedAttributes: AttributeSet = AttributeSet(touched)
  override def outputPartitioning: Partitioning = child.outputPartitioning

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](plan.keys, plan.windows) ++ outputMode ++ stateInfo

  /** Spark reads it when it plans shuffles, after its rules have assigned the state. */
  override def requiredChildDistribution: Seq[Distribution] = {
    assigned.state.requireComplete(s"the hopping windows of ${plan.window.name}")
    if (plan.keys.isEmpty) AllTuples :: Nil
    else StatefulOperatorPartitioning.getCompatibleDistribution(plan.keys, getStateInfo, conf) :: Nil
  }

  /** Append and update mode need the order of groups and panes to count late windows and to find touched panes. */
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(if (outputMode.contains(Complete)) Nil else (plan.keys :+ plan.pane).map(SortOrder(_, Ascending)))

  /**
   * Takes state, watermarks and the output mode from Spark's rules, which do not know this operator; see [[AggregationProbe]].
   * Without keys, there is one partition. The state must say so, since Spark counts the stores that a foreachBatch batch commits.
   */
  override def transformDownWithPruning(condition: TreePatternBits => Boolean, ruleId: RuleId)(
      rule: PartialFunction[SparkPlan, SparkPlan]
  ): SparkPlan = AggregationProbe.assigned(this, assigned, rule) match {
    case Some(AssignedAggregation(state, mode)) =>
      val info =
        state.info.map(found => if (plan.keys.isEmpty) found.copy(numPartitions = 1) else found)
      copy(assigned = AssignedAggregation(state.copy(info = info), mode))
        .mapChildren(_.transformDownWithPruning(condition, ruleId)(rule))
    case None => super.transformDownWithPruning(condition, ruleId)(rule)
  }

  private def watermarks = Watermarks.of(plan, assigned.state.lateEvents, assigned.state.eviction)

  override def selection: WindowSelection = (outputMode, watermarks) match {
    case (Some(Append), Some(Watermarks(late, eviction))) => WindowSelection(late, eviction, None)
    case (Some(Update), marks)                            =>
      WindowSelection(marks.fold(Long.MinValue)(_.late), Long.MaxValue, Some(touched))
    case _ => WindowSelection.All
  }

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    metadata(hadoopConf).agree(stored, getStateInfo.storeVersion)
    val schema = StateStoreColFamilySchema(
      StateStore.DEFAULT_COL_FAMILY_NAME,
      0,
      PaneStore.keySchema(plan),
      0,
      PaneStore.valueSchema(plan),
      keyStateEncoderSpec = Some(PaneStore.encoder(plan))
    )
    List(
      StateSchemaCompatibilityChecker.validateAndMaybeEvolveStateSchema(
        getStateInfo,
        hadoopConf,
        List(schema),
        session.sessionState,
        stateSchemaVersion
      )
    )
  }

  private def metadata(hadoopConf: Configuration) = new HoppingMetadata(
    OperatorFolder(new Path(getStateInfo.checkpointLocation), getStateInfo.operatorId),
    hadoopConf
  )

  private def stored = StoredHopping.of(
    plan,
    identity.getOrElse(throw new IllegalStateException("the query was not started by writeStream")),
    outputMode.contains(Complete)
  )

  /**
   * Throws an exception if the checkpoint of this state belongs to other windows.
   *
   * @param batch
   *   the number of the next batch
   */
  private[spark] def compareCheckpoint(hadoopConf: Configuration, batch: Long): Unit =
    metadata(hadoopConf).compare(stored, batch)

  override def operatorStateMetadata(stateSchemaPaths: List[List[String]]): OperatorStateMetadata =
    OperatorStateMetadataV1(
      OperatorInfoV1(getStateInfo.operatorId, shortName),
      Array(
        StateStoreMetadataV1(StateStoreId.DEFAULT_STORE_NAME, plan.keys.size, getStateInfo.numPartitions)
      )
    )

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] = Seq(
    StatefulOperatorCustomSumMetric(HoppingWindowStateExec.PanesRead, "number of panes read for windows")
  )

  /** Whether the watermark has advanced since this batch, as in Spark's own aggregations. Complete mode needs no other batch. */
  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    (outputMode.contains(Append) || outputMode.contains(Update)) &&
      assigned.state.eviction.exists(newInputWatermark > _)

  override protected def doExecute(): RDD[InternalRow] = {
    metrics // creates them on the driver
    val (mode, marks, aggregation, input) = (outputMode, watermarks, plan, child.output)
    withoutOtherState(child.execute())
      .mapPartitionsWithStateStore(
        session.sqlContext,
        getStateInfo,
        PaneStore.keySchema(plan),
        PaneStore.valueSchema(plan),
        PaneStore.encoder(plan)
      ) { (store, partials) =>
        val begin = System.nanoTime()
        val panes = new PaneStore(store, aggregation, input)
        def finish(counts: PaneCounts): Unit = {
          longMetric("allUpdatesTimeMs") += NANOSECONDS.toMillis(System.nanoTime() - begin)
          longMetric("commitTimeMs") += timeTakenMs(store.commit())
          longMetric("numRowsDroppedByWatermark") += counts.lateWindows
          longMetric("numUpdatedStateRows") += counts.written
          longMetric("numRemovedStateRows") += counts.removed
          setStoreMetrics(store)
          setOperatorMetrics()
        }
        val resources = new TaskResources(TaskContext.get())
        val cancellation = new CancellationCheck(() => resources.stopIfCancelled())
        val handedOut: Iterator[InternalRow] = (mode, marks) match {
          case (Some(Append), Some(w)) =>
            new CompletePanes(partials, aggregation, panes, w, cancellation, finish)
          case (Some(Update), w)   => new TouchedPanes(partials, aggregation, panes, w, cancellation, finish)
          case (Some(Complete), _) => new AllPanes(partials, aggregation, panes, cancellation, finish)
          case _                   =>
            throw new IllegalStateException(s"a hopping window without a watermark in output mode $mode")
        }
        val (rows, read) = (longMetric("numOutputRows"), longMetric(HoppingWindowStateExec.PanesRead))
        handedOut.map { pane =>
          rows += 1
          read += 1
          pane
        }
      }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): HoppingWindowStateExec =
    copy(child = newChild)
}

object HoppingWindowStateExec {
  val ShortName = "hoppingWindow"
  val PanesRead = "panesRead"

  private val Append = OutputMode.Append()
  private val Update = OutputMode.Update()
  private val Complete = OutputMode.Complete()

  def apply(
      plan: HoppingWindowPlan,
      place: Int,
      identity: Option[AggregationIdentity],
      child: SparkPlan
  ): HoppingWindowStateExec = {
    val touched = AttributeReference("touched", BooleanType, nullable = false)()
    HoppingWindowStateExec(plan, place, identity, touched, child)
  }
}
