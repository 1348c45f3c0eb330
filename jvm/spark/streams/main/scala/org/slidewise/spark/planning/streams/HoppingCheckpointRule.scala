package org.slidewise.spark.planning.streams

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.streams.CheckpointChanged
import org.slidewise.spark.execution.streams.hopping.{HoppingMetadata, HoppingWindowStateExec}
import org.slidewise.spark.plan.HoppingLeftToSpark
import org.slidewise.spark.shims.SparkSessions
import org.slidewise.spark.shims.SparkStreaming._

/**
 * Chooses the operator for each hopping window of a query when the query starts. Spark's operators continue the states that they
 * have begun, and Slidewise's operators continue theirs.
 *
 * Throws [[CheckpointChanged]] if Slidewise has begun a state that Spark's operator would continue, or if the windows or
 * aggregates of a state have changed.
 */
final class HoppingCheckpointRule(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream
        if hasAggregation(write) && !write.inputQuery.isInstanceOf[HoppingLeftToSpark] =>
      val left =
        try leftToSpark(write)
        catch {
          case changed: CheckpointChanged          => throw changed
          case e @ (NonFatal(_) | _: LinkageError) =>
            logDebug("The checkpoint is compared when the first batch is planned", e)
            Set.empty[Int]
        }
      if (left.isEmpty) write else write.copy(inputQuery = HoppingLeftToSpark(Some(left), write.inputQuery))
    case _ => plan
  }

  private def hasAggregation(write: WriteToStream) = write.inputQuery.exists {
    case aggregate: Aggregate => aggregate.isStreaming
    case _                    => false
  }

  /** The places, as in `HoppingStream`, of the hopping windows whose state Spark has begun. */
  private def leftToSpark(write: WriteToStream): Set[Int] = {
    val state = new Path(write.resolvedCheckpointLocation, "state")
    val hadoopConf = SparkSessions.of(session).sessionState.newHadoopConf()
    if (!CheckpointFileManager.create(state, hadoopConf).exists(state)) Set.empty
    else {
      val execution = QueryWithoutData.planned(session, write.inputQuery, write.outputMode, state)
      val operators = execution.executedPlan.collect { case operator: StateStoreWriter => operator }
      operators.foreach(operator => refuseSpark(operator, metadataOf(state, operator, hadoopConf)))
      val left = operators
        .collect { case hopping: HoppingWindowStateExec => hopping }
        .filter(hopping => isLeft(hopping, metadataOf(state, hopping, hadoopConf), hadoopConf))
        .map(_.place)
      if (left.nonEmpty)
        logWarning(
          s"The checkpoint ${write.resolvedCheckpointLocation} was begun by Spark's own operators, which go on with its hopping " +
            "windows: Slidewise evaluates them in queries with a new checkpointLocation"
        )
      left.toSet
    }
  }

  private def metadataOf(state: Path, operator: StateStoreWriter, hadoopConf: Configuration) =
    new HoppingMetadata(new Path(state, operator.stateInfo.get.operatorId.toString), hadoopConf)

  private def isLeft(hopping: HoppingWindowStateExec, kept: HoppingMetadata, hadoopConf: Configuration) = {
    if (kept.exists) hopping.compareCheckpoint(hadoopConf)
    kept.isOfSpark
  }

  private def refuseSpark(operator: StateStoreWriter, kept: HoppingMetadata): Unit = operator match {
    case _: HoppingWindowStateExec => ()
    case _ if kept.exists          =>
      val disabled = Seq(SlidewiseSettings.Enabled, SlidewiseSettings.HoppingWindows)
        .zip(Seq(SlidewiseSettings.enabled _, SlidewiseSettings.hoppingWindows _))
        .collectFirst { case (key, isOn) if !isOn(SQLConf.get) => key }
      throw new CheckpointChanged(
        new Path(operator.stateInfo.get.checkpointLocation, operator.stateInfo.get.operatorId.toString),
        "was begun by Slidewise, which keeps hopping windows by pane, and Spark's own operator would go on with it" +
          disabled.fold("")(key => s": $key is false"),
        disabled.fold("Continue with the query that has begun it")(key => s"Set $key to true") +
          ", or start the query with another checkpointLocation"
      )
    case _ => ()
  }
}
