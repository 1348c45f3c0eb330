package org.slidewise.spark.execution.streams

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.RefusedQuery

/** The state that a stateful operator keeps, as its checkpoint describes it. */
private[streams] trait StoredState {

  /** The identity of the state. [[toString]] is a text for messages, in which different states may look the same. */
  def canonical: String
}

/**
 * Compares a query with the description of the state that it continues, and writes the description of a new state. A query whose
 * operator computes something else, or whose functions keep their states in another form, is refused before it reads the state.
 *
 * A state belongs to a query once the first batch has been committed. Until then, another query may begin it anew.
 *
 * A later Spark that continues the state is recorded in [[LaterSparks]].
 *
 * @param sparkVersion
 *   the version of the running Spark
 * @tparam S
 *   the described state
 * @tparam L
 *   the order of a query's parts in its state
 */
abstract private[streams] class OperatorMetadata[S <: StoredState, L](
    folder: OperatorFolder,
    operator: String,
    entries: (String, Int),
    hadoopConf: Configuration,
    sparkVersion: String
) {
  import OperatorMetadata._

  private[this] val file = new MetadataFile(folder, operator, entries, hadoopConf)
  private[this] val laterSparks = new LaterSparks(folder, hadoopConf)

  protected def put(node: ObjectNode, state: S): Unit
  protected def from(node: JsonNode): S

  /** The order of a query's parts in a state that the query begins. */
  protected def layoutOf(state: S): L

  /** The order of the parts of `state` in `kept`; none if `kept` is another state. */
  protected def layoutIn(kept: S, state: S): Option[L]

  /** Throws [[CheckpointChanged]] if the state has been kept in a different form. */
  protected def compareForms(kept: S, state: S, layout: L, written: String): Unit

  /**
   * Refuses the checkpoint if it belongs to another query, and describes `state` in a new one.
   *
   * @param batch
   *   the number of the batch that is about to run; those before it have been committed
   */
  def agree(state: S, batch: Long): L =
    if (batch == 0) {
      if (!isDescribed(state)) begin(state)
      layoutOf(state)
    } else {
      val (recorded, layout) = compared(state, batch)
      val later =
        Option.when(isLater(sparkVersion, recorded.writtenBy(batch)))(LaterSpark(sparkVersion, batch))
      laterSparks.continue(batch, later, recorded.later)
      layout
    }

  /** Refuses the checkpoint if it belongs to another query. Writes nothing. */
  def compare(state: S, batch: Long): L = if (batch == 0) layoutOf(state) else compared(state, batch)._2

  /**
   * The state that the checkpoint describes, and the latest Spark that has written it. Throws [[CheckpointChanged]] or
   * `CorruptState` as [[agree]] does.
   *
   * @param batch
   *   the number of the first batch that has not been committed
   */
  def recorded(batch: Long): (S, String) = {
    val found = read()
    val written = found.writtenBy(batch)
    refuseLater(written)
    (found.state, written)
  }

  private def begin(state: S): Unit = {
    folder.discard(hadoopConf)
    val node = file.begin(sparkVersion)
    put(node, state)
    file.write(node)
  }

  private def isDescribed(state: S): Boolean =
    file.exists && (try read() == Recorded(sparkVersion, Nil, state)
    catch { case _: RefusedQuery | _: IllegalStateException => false })

  private def compared(state: S, batch: Long): (Recorded[S], L) = {
    val recorded = read()
    val (kept, written) = (recorded.state, recorded.writtenBy(batch))
    refuseLater(written)
    val layout = layoutIn(kept, state).getOrElse(throw changed(kept, state))
    compareForms(kept, state, layout, written)
    (recorded, layout)
  }

  private def refuseLater(written: String): Unit = if (isLater(written, sparkVersion))
    throw new CheckpointChanged(
      folder.state,
      s"was written by Spark $written, and this is Spark $sparkVersion, which may not read it as it was meant",
      s"Use Spark ${written.split('.').take(2).mkString(".")} or a later version"
    )

  /** The error for a checkpoint of another query. Shows the canonical forms if the texts for people are the same. */
  private def changed(kept: S, state: S) = {
    val differ = kept.toString != state.toString
    def shown(s: S) = if (differ) s.toString else s.canonical
    new CheckpointChanged(
      folder.state,
      s"belongs to another query.\n  It keeps:      ${shown(kept)}\n  The query has: ${shown(state)}",
      "Continue with the query that it keeps. Or start this one with another checkpointLocation: it then begins with the first " +
        "rows that its source still has"
    )
  }

  protected def otherForm(sql: String, kept: String, has: String, written: String): CheckpointChanged =
    new CheckpointChanged(
      folder.state,
      s"keeps $sql in another form.\n  It keeps:      $kept, written by Spark $written\n" +
        s"  The query has: $has, in Spark $sparkVersion",
      "Continue with the versions of Spark and Slidewise that wrote it, or start the query with another checkpointLocation"
    )

  private def read(): Recorded[S] = file.read { node =>
    Recorded(node.required("spark").asText, laterSparks.all, from(node))
  }
}

private object OperatorMetadata {

  /**
   * @param spark
   *   the version of Spark that began the state
   */
  final case class Recorded[S](spark: String, later: Seq[LaterSpark], state: S) {

    /** The latest Spark of the batches before `batch`. */
    def writtenBy(batch: Long): String = later.filter(_.firstBatch < batch).lastOption.fold(spark)(_.spark)
  }

  /** Whether the minor of `version` is after that of `other`. */
  private def isLater(version: String, other: String): Boolean = {
    def minor(v: String) = v.split('.').take(2).map(_.toIntOption.getOrElse(0)).foldLeft(0)(_ * 1000 + _)
    minor(version) > minor(other)
  }
}

/** The error for a checkpoint that the query cannot continue. */
final class CheckpointChanged(state: Path, what: String, remedy: String)
    extends RefusedQuery(
      CheckpointChanged.Condition,
      CheckpointChanged.SqlState,
      s"The state in $state $what.\n$remedy",
      Map("state" -> state.toString, "what" -> what, "remedy" -> remedy)
    )

object CheckpointChanged {
  val Condition = "SLIDEWISE_STREAM_CHECKPOINT_CHANGED"
  val SqlState = "42K03"
}
