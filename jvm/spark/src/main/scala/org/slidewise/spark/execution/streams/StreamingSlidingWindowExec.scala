package org.slidewise.spark.execution.streams

import java.util.concurrent.TimeUnit.NANOSECONDS

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, Distribution, Partitioning}
import org.apache.spark.sql.catalyst.trees.TreePatternBits
import org.apache.spark.sql.catalyst.rules.RuleId
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.util.SerializableConfiguration

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.{SlidingWindowPlan, StreamOptions, StreamRefused}

/**
 * Aggregates over frames of a stream: each row comes out once, with the answers of its frames, as the watermark passes it; or,
 * eagerly, in the batch in which it comes in.
 *
 * State, for each key: the rows that wait; what frames need of the rows in them, in blocks; and an aggregate for each block
 * (see [[org.slidewise.core.durable.SegmentedFrames]]). A row writes O(1) cells, and shares them with its neighbours.
 *
 * @param computed
 *   what columns of `child` stand for, where these are part of the window: as SQL, by their names
 */
case class StreamingSlidingWindowExec(
    plan: SlidingWindowPlan,
    partitionSpec: Seq[Expression],
    order: SortOrder,
    options: StreamOptions,
    computed: Map[String, String],
    child: SparkPlan,
    stateInfo: Option[StatefulOperatorStateInfo] = None,
    eventTimeWatermarkForLateEvents: Option[Long] = None,
    eventTimeWatermarkForEviction: Option[Long] = None
) extends UnaryExecNode
    with StateStoreWriter {

  override def nodeName: String = "SlidingWindow"
  override def shortName: String = "slidingWindow"

  override def output: Seq[Attribute] = child.output ++ plan.results.map(_.toAttribute)
  override def outputPartitioning: Partitioning = child.outputPartitioning

  override protected def stringArgs: Iterator[Any] = Iterator[Any](
    plan.methods.map(_.toString),
    plan.results,
    partitionSpec,
    order,
    mode
  ) ++ stateInfo

  private def mode = if (options.eager) "eager" else "append"

  override def requiredChildDistribution: Seq[Distribution] =
    if (partitionSpec.isEmpty) AllTuples :: Nil
    else StatefulOperatorPartitioning.getCompatibleDistribution(partitionSpec, getStateInfo, conf) :: Nil

  /**
   * Spark's rules give a state and watermarks to the operators that they know. This asks them what they would give to one of
   * those in its place, and takes it.
   */
  override def transformDownWithPruning(condition: TreePatternBits => Boolean, ruleId: RuleId)(
      rule: PartialFunction[SparkPlan, SparkPlan]
  ): SparkPlan = StateRules.informed(this, rule) match {
    case Some(informed) => informed.mapChildren(_.transformDownWithPruning(condition, ruleId)(rule))
    case None           => super.transformDownWithPruning(condition, ruleId)(rule)
  }

  private def keySchema = StateCells.keySchema(partitionSpec)

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    refuseRealTime()
    val operatorPath = new Path(getStateInfo.checkpointLocation, getStateInfo.operatorId.toString)
    new WindowMetadata(operatorPath, hadoopConf)
      .agree(WindowMetadata.describe(plan, partitionSpec, order, child.output, mode, computed))
    val schema = StateStoreColFamilySchema(
      StateStore.DEFAULT_COL_FAMILY_NAME,
      0,
      keySchema,
      0,
      StateCells.valueSchema,
      keyStateEncoderSpec = Some(encoder)
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

  /** Spark refuses operators that it does not know, too, but offers to run them all the same: at the end of each long batch. */
  private def refuseRealTime(): Unit = if (child.exists(_.isInstanceOf[RealTimeStreamScanExec]))
    throw new StreamRefused(
      plan.results.map(_.name).mkString(", "),
      "the trigger is real-time, in which Spark runs no operators but its own: use trigger(processingTime=\"0 seconds\"), " +
        s"with ${SlidewiseSettings.StreamMode} = eager where rows are to be answered in the batch in which they arrive"
    )

  private def encoder = PrefixKeyScanStateEncoderSpec(keySchema, StateCells.PrefixColumns)

  override def operatorStateMetadata(stateSchemaPaths: List[List[String]]): OperatorStateMetadata =
    OperatorStateMetadataV1(
      OperatorInfoV1(getStateInfo.operatorId, shortName),
      Array(
        StateStoreMetadataV1(
          StateStoreId.DEFAULT_STORE_NAME,
          StateCells.PrefixColumns,
          if (partitionSpec.isEmpty) 1 else getStateInfo.numPartitions
        )
      )
    )

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] = Seq(
    StatefulOperatorCustomSumMetric(StreamMetrics.Combines, "number of combines"),
    StatefulOperatorCustomSumMetric(StreamMetrics.Keys, "number of keys touched"),
    StatefulOperatorCustomSumMetric(StreamMetrics.Timeless, "number of rows without event time, dropped")
  )

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    !options.eager && eventTimeWatermarkForEviction.exists(newInputWatermark > _)

  /** Rows come out when the watermark has passed the ends of their frames; those that wait for rows, nobody knows when. */
  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    plan.longestWaitMicros.map(wait => inputWatermarkMs - (wait + 999) / 1000)

  /** A stream without a watermark, which only the eager mode takes, has no late rows. */
  private def hasWatermark = order.child.references.exists { a =>
    child.output.exists(o => o.exprId == a.exprId && o.metadata.contains(EventTimeWatermark.delayKey))
  }

  private def lateRowsFolder =
    options.lateRowsPath.map(path =>
      s"$path/operator=${getStateInfo.operatorId}/batch=${getStateInfo.storeVersion}"
    )

  override protected def doExecute(): RDD[InternalRow] = {
    val task = new StreamWindowFactory(
      plan,
      partitionSpec,
      order,
      options,
      child.output,
      lateRowsFolder,
      new SerializableConfiguration(session.sessionState.newHadoopConf())
    )
    val evictUntil = eventTimeWatermarkForEviction.filter(_ => hasWatermark)
    val lateUntil = eventTimeWatermarkForLateEvents.filter(_ => hasWatermark)
    child
      .execute()
      .mapPartitionsWithStateStore(
        session.sqlContext,
        getStateInfo,
        keySchema,
        StateCells.valueSchema,
        encoder
      ) { (store, rows) =>
        val begin = System.nanoTime()
        task.start(rows, store, lateUntil, evictUntil, TaskContext.get()) { run =>
          longMetric("allUpdatesTimeMs") += NANOSECONDS.toMillis(System.nanoTime() - begin)
          longMetric("commitTimeMs") += timeTakenMs(store.commit())
          run.report(longMetric)
          setStoreMetrics(store)
          setOperatorMetrics()
        }
      }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): StreamingSlidingWindowExec =
    copy(child = newChild)
}
