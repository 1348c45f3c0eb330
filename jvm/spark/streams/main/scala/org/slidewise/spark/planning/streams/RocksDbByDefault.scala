package org.slidewise.spark.planning.streams

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.StreamingQueryListener

import org.slidewise.spark.plan.StreamOutput
import org.slidewise.spark.shims.{SessionOfStream, SparkSessions}
import org.slidewise.spark.shims.SparkStreaming.{StreamExecution, StreamingQueryWrapper}

/**
 * Keeps the state of queries with windows over streams in RocksDB, with changelog checkpoints, if the session names no state
 * store; Spark's default holds all state in memory.
 *
 * A query runs in a clone of the user's session. Spark calls this listener in the query's thread, before `start()` returns and
 * before the query reads its settings and writes them to the checkpoint. The listener changes only that clone. A checkpoint keeps
 * its original state store: its settings replace those of the clone.
 *
 * If this listener cannot find the clone, it logs a warning, and the query runs with Spark's default.
 */
final private class RocksDbByDefault(session: SparkSession) extends StreamingQueryListener with Logging {
  import RocksDbByDefault._

  override def onQueryStarted(event: StreamingQueryListener.QueryStartedEvent): Unit =
    try
      session.streams.get(event.id) match {
        case wrapper: StreamingQueryWrapper if hasWindow(wrapper.streamingQuery) =>
          setIn(SessionOfStream.of(wrapper.streamingQuery))
        case _ => ()
      }
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        logWarning(
          "A window over a stream keeps its state in Spark's default state store, since its own session was not found: set " +
            s"${SQLConf.STATE_STORE_PROVIDER_CLASS.key} to $Provider for states larger than memory",
          e
        )
    }

  private def hasWindow(query: StreamExecution) = query.analyzedPlan.exists(_.isInstanceOf[StreamOutput])

  private def setIn(clone: SparkSessions.Session): Unit = {
    val conf = clone.sessionState.conf
    if (!conf.contains(SQLConf.STATE_STORE_PROVIDER_CLASS.key)) {
      logInfo("A window over a stream keeps its state in RocksDB, since the session names no state store")
      clone.conf.set(SQLConf.STATE_STORE_PROVIDER_CLASS.key, Provider)
      if (!conf.contains(Changelog)) clone.conf.set(Changelog, "true")
    }
  }

  override def onQueryProgress(event: StreamingQueryListener.QueryProgressEvent): Unit = ()
  override def onQueryTerminated(event: StreamingQueryListener.QueryTerminatedEvent): Unit = ()
}

private object RocksDbByDefault {
  private val Provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  private val Changelog = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"

  /** Registers the listener for queries of `session`, if it is not registered. */
  def in(session: SparkSession): Unit = session.streams.synchronized {
    if (!session.streams.listListeners().exists(_.isInstanceOf[RocksDbByDefault]))
      session.streams.addListener(new RocksDbByDefault(session))
  }
}
