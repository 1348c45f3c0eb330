package org.slidewise.spark.planning.streams

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Distinct, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.streams.{CheckpointChanged, OperatorFolder, StreamingSlidingWindowExec}
import org.slidewise.spark.execution.streams.hopping.{HoppingMetadata, HoppingWindowStateExec}
import org.slidewise.spark.plan.{HoppingLeftToSpark, HoppingQuery}
import org.slidewise.spark.planning.hopping.WindowExpand
import org.slidewise.spark.shims.SparkSessions
import org.slidewise.spark.shims.SparkStreaming._

/**
 * Chooses the operator for each hopping window of a query when the query starts. Spark's operators continue the states that they
 * have begun, and Slidewise's operators continue theirs. A query that has committed no batch has no state to continue.
 *
 * Throws [[CheckpointChanged]] if Slidewise has begun a state that Spark's operator would continue, if the windows or aggregates of
 * a state have changed, or if the checkpoint does not show which of the two has begun the state.
 */
final class HoppingCheckpointRule(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream if hasAggregation(write) && !isChecked(write.inputQuery) =>
      val identified = if (hasHoppingWindow(write)) identifiedIn(write) else write
      val left =
        try leftToSpark(identified)
        catch {
          case changed: CheckpointChanged          => throw changed
          case e @ (NonFatal(_) | _: LinkageError) =>
            logDebug("The checkpoint is compared when the first batch is planned", e)
            Set.empty[Int]
        }
      if (left.isEmpty) identified
      else identified.copy(inputQuery = HoppingLeftToSpark(Some(left), identified.inputQuery))
    case _ => plan
  }

  private def identifiedIn(write: WriteToStream) = write.copy(inputQuery =
    HoppingQuery(new StreamIdentities(write.inputQuery).ofAggregations, write.inputQuery)
  )

  private def hasHoppingWindow(write: WriteToStream) = write.inputQuery.exists(WindowExpand.isHopping)

  private def isChecked(query: LogicalPlan) = query match {
    case _: HoppingLeftToSpark | _: HoppingQuery => true
    case _                                       => false
  }

  private def hasAggregation(write: WriteToStream) = write.inputQuery.exists {
    case aggregate @ (_: Aggregate | _: Distinct) => aggregate.isStreaming
    case _                                        => false
  }

  /** The places, as in `HoppingStream`, of the hopping windows whose state Spark has begun. */
  private def leftToSpark(write: WriteToStream): Set[Int] = {
    val checkpoint = new Path(write.resolvedCheckpointLocation)
    val state = new Path(checkpoint, "state")
    val hadoopConf = SparkSessions.of(session).sessionState.newHadoopConf()
    if (!CheckpointFileManager.create(state, hadoopConf).exists(state)) Set.empty
    else {
      val batch = OperatorFolder.nextBatch(checkpoint, hadoopConf)
      val execution = QueryWithoutData.planned(session, write.inputQuery, write.outputMode, state)
      val operators = execution.executedPlan.collect { case operator: StateStoreWriter => operator }
      val left = operators.flatMap { operator =>
        val folder = OperatorFolder(state, operator.stateInfo.get.operatorId)
        operator match {
          case hopping: HoppingWindowStateExec if batch > 0 =>
            if (HoppingMetadata.isOfSpark(folder, hadoopConf)) Some(hopping.place)
            else {
              hopping.compareCheckpoint(hadoopConf, batch)
              None
            }
          case _: HoppingWindowStateExec | _: StreamingSlidingWindowExec => None
          case _                                                         =>
            if (folder.isDescribed(hadoopConf)) giveToSpark(folder, batch, hadoopConf)
            None
        }
      }
      if (left.nonEmpty)
        logWarning(
          s"The checkpoint ${write.resolvedCheckpointLocation} was begun by Spark's own operators, which go on with its hopping " +
            "windows: Slidewise evaluates them in queries with a new checkpointLocation"
        )
      left.toSet
    }
  }

  /**
   * Discards Slidewise's state if no batch has been committed, so that Spark's operator can begin its own. Throws
   * [[CheckpointChanged]] otherwise.
   */
  private def giveToSpark(folder: OperatorFolder, batch: Long, hadoopConf: Configuration): Unit =
    if (batch == 0) folder.discard(hadoopConf)
    else {
      val disabled = Seq(SlidewiseSettings.Enabled, SlidewiseSettings.HoppingWindows)
        .zip(Seq(SlidewiseSettings.enabled _, SlidewiseSettings.hoppingWindows _))
        .collectFirst { case (key, isOn) if !isOn(SQLConf.get) => key }
      throw new CheckpointChanged(
        folder.state,
        "was begun by Slidewise, which keeps hopping windows by pane, and Spark's own operator would go on with it" +
          disabled.fold("")(key => s": $key is false"),
        disabled.fold("Continue with the query that has begun it")(key => s"Set $key to true") +
          ", or start the query with another checkpointLocation"
      )
    }
}
