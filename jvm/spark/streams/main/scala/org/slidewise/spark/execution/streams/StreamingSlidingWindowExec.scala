package org.slidewise.spark.execution.streams

import java.util.{LinkedHashMap, UUID}
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
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.util.SerializableConfiguration

import org.slidewise.spark.plan._
import org.slidewise.spark.shims.SparkStreaming._

/**
 * Evaluates aggregates over frames of a stream. Each row is emitted once with its results: when the watermark passes it, or, in
 * eager mode, in the batch in which it arrives.
 *
 * State of a key: the rows that wait; blocks of the columns that frames need; and a partial aggregate for each block (see
 * [[org.slidewise.core.durable.SegmentedFrames]]), or the last occurrences of distinct values (see [[StreamDistinctEvaluator]]).
 * A row writes O(1) cells, amortised over its block.
 *
 * @param identity
 *   the identity of the window; none in a plan of a query that has not been started
 */
case class StreamingSlidingWindowExec(
    plan: SlidingWindowPlan,
    options: StreamOptions,
    identity: Option[WindowIdentity],
    child: SparkPlan,
    stateInfo: Option[StatefulOperatorStateInfo] = None,
    eventTimeWatermarkForLateEvents: Option[Long] = None,
    eventTimeWatermarkForEviction: Option[Long] = None
) extends StreamingWindowOperator
    with StateStoreWriter {

  private def partitionSpec = plan.partitionSpec
  private def order = plan.eventTimeOrder

  override def nodeName: String = "SlidingWindow"
  override def shortName: String = StreamingSlidingWindowExec.ShortName

  /** The columns of the child, all nullable. Rows of an earlier run, with a different filter below, may have nulls. */
  private def input = child.output.map(_.withNullability(true))

  override def output: Seq[Attribute] = input ++ plan.rowWise.results.map(_.toAttribute)
  override def outputPartitioning: Partitioning = child.outputPartitioning

  override protected def stringArgs: Iterator[Any] = Iterator[Any](
    plan.methods.map(_.toString),
    plan.rowWise.results,
    partitionSpec,
    order,
    mode
  ) ++ stateInfo

  private def mode = if (options.eager) "eager" else "append"

  /** Spark reads it when it plans shuffles, after its rules have assigned the state. */
  override def requiredChildDistribution: Seq[Distribution] = {
    assigned.requireComplete(plan.rowWise.results.map(_.name).mkString("the window of ", ", ", ""))
    if (partitionSpec.isEmpty) AllTuples :: Nil
    else StatefulOperatorPartitioning.getCompatibleDistribution(partitionSpec, getStateInfo, conf) :: Nil
  }

  private def assigned =
    AssignedState(stateInfo, eventTimeWatermarkForLateEvents, eventTimeWatermarkForEviction)

  /**
   * Takes state and watermarks from Spark's rules, which do not know this operator; see [[StateAssignment]]. Without keys there is
   * one partition. Spark counts the state stores that a batch with foreachBatch commits.
   */
  override def transformDownWithPruning(condition: TreePatternBits => Boolean, ruleId: RuleId)(
      rule: PartialFunction[SparkPlan, SparkPlan]
  ): SparkPlan = DeduplicationProbe.assigned(this, assigned, rule) match {
    case Some(AssignedState(info, lateEvents, eviction)) =>
      copy(
        stateInfo =
          info.map(assigned => if (partitionSpec.isEmpty) assigned.copy(numPartitions = 1) else assigned),
        eventTimeWatermarkForLateEvents = lateEvents,
        eventTimeWatermarkForEviction = eviction
      ).mapChildren(_.transformDownWithPruning(condition, ruleId)(rule))
    case None => super.transformDownWithPruning(condition, ruleId)(rule)
  }

  private def keySchema = StateCells.keySchema(partitionSpec)

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    val info = getStateInfo
    StateLayouts.put(
      info.queryRunId,
      info.operatorId,
      info.checkpointLocation,
      metadata(hadoopConf).agree(stored, info.storeVersion)
    )
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

  private def metadata(hadoopConf: Configuration) =
    new WindowMetadata(
      OperatorFolder(new Path(getStateInfo.checkpointLocation), getStateInfo.operatorId),
      hadoopConf
    )

  private def stored = StoredWindow.of(
    plan,
    input,
    mode,
    identity.getOrElse(throw new IllegalStateException("the query was not started by writeStream"))
  )

  /**
   * Refuses the checkpoint for the state if it belongs to another window.
   *
   * @param batch
   *   the number of the next batch
   */
  private[spark] def compareCheckpoint(hadoopConf: Configuration, batch: Long): Unit =
    metadata(hadoopConf).compare(stored, batch)

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
    StatefulOperatorCustomSumMetric(StreamCounts.Combines, "number of combines"),
    StatefulOperatorCustomSumMetric(StreamCounts.Keys, "number of keys touched"),
    StatefulOperatorCustomSumMetric(StreamCounts.Timeless, "number of rows without event time, dropped"),
    StatefulOperatorCustomSumMetric(StreamCounts.LiveKeys, "number of live keys"),
    StatefulOperatorCustomSumMetric(StreamCounts.ExpiredKeys, "number of expired keys"),
    StatefulOperatorCustomSumMetric(StreamCounts.WaitingRows, "number of waiting rows"),
    LongestTimeMetric(StreamCounts.OldestWaiting, "time of the watermark past the oldest waiting row"),
    SizeMetric(StreamCounts.StateBytes, "size of the state")
  )

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    !options.eager && eventTimeWatermarkForEviction.exists(newInputWatermark > _)

  /**
   * The watermark of the output. Rows are emitted when the watermark passes the ends of their frames. None if a frame waits for a
   * number of rows.
   */
  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    if (plan.rowWise.waitsForRows) None
    else {
      val complete = EventTimeReach.of(plan).completeUntil(TimeReach.times(inputWatermarkMs, 1000L))
      Some(Math.floorDiv(complete, 1000L))
    }

  /** Whether the stream has a watermark. A stream without a watermark, which only eager mode accepts, has no late rows. */
  private def hasWatermark = order.child.references.exists { a =>
    child.output.exists(o => o.exprId == a.exprId && o.metadata.contains(EventTimeWatermark.delayKey))
  }

  /** The folder for late rows. Each query has its own, so that other queries with the same path do not replace its files. */
  private def lateRowsFolder(hadoopConf: Configuration) = options.lateRowsPath.map { path =>
    val query = OperatorFolder.queryOf(new Path(getStateInfo.checkpointLocation).getParent, hadoopConf)
    s"$path/query=$query/operator=${getStateInfo.operatorId}/batch=${getStateInfo.storeVersion}"
  }

  /** The folder for late rows, without the files of another run of the batch, which may have had more partitions. */
  private def newLateRowsFolder(hadoopConf: Configuration): Option[String] = {
    val folder = lateRowsFolder(hadoopConf)
    folder.map(new Path(_)).foreach(path => path.getFileSystem(hadoopConf).delete(path, true))
    folder
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val hadoopConf = session.sessionState.newHadoopConf()
    val info = getStateInfo
    val layout = StateLayouts.getOrElse(info.queryRunId, info.operatorId, info.checkpointLocation) {
      metadata(hadoopConf).compare(stored, info.storeVersion)
    }
    val input = this.input
    val keptInput = layout.input(input)
    val task = new StreamWindowFactory(
      layout.framesOf(plan),
      options,
      keptInput,
      input,
      newLateRowsFolder(hadoopConf),
      new SerializableConfiguration(hadoopConf)
    )
    val evictUntil = eventTimeWatermarkForEviction.filter(_ => hasWatermark)
    val lateUntil = eventTimeWatermarkForLateEvents.filter(_ => hasWatermark)
    withoutOtherState(child.execute())
      .mapPartitionsWithStateStore(
        session.sqlContext,
        getStateInfo,
        keySchema,
        StateCells.valueSchema,
        encoder
      ) { (store, rows) =>
        val begin = System.nanoTime()
        val kept = if (keptInput == input) rows else rows.map(UnsafeProjection.create(keptInput, input))
        task.start(kept, store, lateUntil, evictUntil, TaskContext.get()) { report =>
          longMetric("allUpdatesTimeMs") += NANOSECONDS.toMillis(System.nanoTime() - begin)
          longMetric("commitTimeMs") += timeTakenMs(store.commit())
          report(longMetric)
          setStoreMetrics(store)
          setOperatorMetrics()
        }
      }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): StreamingSlidingWindowExec =
    copy(child = newChild)
}

object StreamingSlidingWindowExec {
  val ShortName = "slidingWindow"
}

/**
 * A cache of the state layouts of running queries, so that batches do not read the description again. The first batch of a run
 * writes or reads the description, which does not change until the run ends.
 */
private[streams] object StateLayouts {
  private val Most = 1000

  private val known = new LinkedHashMap[(UUID, Long, String), StateLayout] {
    override def removeEldestEntry(eldest: java.util.Map.Entry[(UUID, Long, String), StateLayout]): Boolean =
      size > Most
  }

  def put(run: UUID, operator: Long, checkpoint: String, layout: StateLayout): Unit =
    synchronized(known.put((run, operator, checkpoint), layout))

  def getOrElse(run: UUID, operator: Long, checkpoint: String)(read: => StateLayout): StateLayout =
    synchronized {
      Option(known.get((run, operator, checkpoint)))
    }.getOrElse {
      val layout = read
      put(run, operator, checkpoint, layout)
      layout
    }
}
