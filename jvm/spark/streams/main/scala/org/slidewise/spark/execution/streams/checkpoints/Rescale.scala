package org.slidewise.spark.execution.streams.checkpoints

import java.util.UUID

import scala.collection.mutable
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.SparkSession

/**
 * Writes the checkpoint of a stopped query again, with another number of shuffle partitions or in another state store.
 *
 * The last committed batch is moved, and a batch that has been planned and not committed stays planned: the query repeats it.
 * Earlier batches are not copied, except the batch before, whose offsets Spark reads.
 *
 * A file with [[StoppedQuery.Unfinished]] takes the place of the next batch in `offsets` until all other files are written and the
 * new state has been read. Spark starts no query from such a checkpoint. The command writes this file first and deletes it last.
 * This needs no renaming of folders, and so works in object stores, too.
 *
 * Cost: reads the old state once and the new one once, and shuffles the state.
 */
final private[checkpoints] class Rescale(
    session: SparkSession,
    query: StoppedQuery,
    to: CheckpointFolder,
    partitions: Int,
    provider: String
) {
  import Rescale._
  import StoppedQuery.{Format, Provider, ShufflePartitions, Unfinished}

  private def from = query.folder

  /** The file that keeps Spark from starting a query. */
  private val barrier = s"offsets/${query.batch + 2}"

  /** Writes the checkpoint, and returns the moved operators, each with its number of entries of keys. */
  def run(): Seq[(KnownOperator, Long)] = {
    refuseUnknown()
    val operators = from.operators.map(query.operators.of)
    if (operators.isEmpty)
      refuse("path", from.path.toString, "has no state", "Allowed: a checkpoint of a stateful query")
    if (!to.begin(barrier, Unfinished))
      refuse("new_path", to.path.toString, "exists and is not empty", "Allowed: a path that does not exist")
    try {
      val moved = operators.map(operator => operator -> move(operator))
      Seq("metadata", "sources", "slidewise").foreach(to.copyFrom(from, _))
      writeLogs(operators.map(operator => operator.id -> idsOf(operator)).toMap)
      if (StoppedQuery.in(from) != query)
        refuse("path", from.path.toString, "has changed in the meantime", "Stop the query first")
      to.deleteFile(barrier)
      moved
    } catch {
      case e: Throwable =>
        try to.delete()
        catch { case NonFatal(another) => e.addSuppressed(another) }
        throw e
    }
  }

  // In format 2, each new state gets a new identifier.
  private val newIds = mutable.Map.empty[Long, Seq[String]]

  private def idsOf(operator: KnownOperator): Seq[String] =
    newIds.getOrElseUpdate(
      operator.id,
      Seq.fill(operator.form.partitions(partitions))(UUID.randomUUID().toString)
    )

  private def refuseUnknown(): Unit = {
    val settings = query.settings
    def setting(name: String, allowed: String, byDefault: String) = {
      val found = settings.getOrElse(name, byDefault)
      if (found != allowed)
        refuse(name, found, "in the checkpoint is not what Slidewise can move", s"Allowed: $allowed")
    }
    setting("spark.sql.streaming.statefulOperator.useStrictDistribution", "true", "false")
    setting("spark.sql.streaming.stateStore.encodingFormat", "unsaferow", "unsaferow")
    if (session.sparkContext.getConf.getBoolean("spark.speculation", false))
      refuse("spark.speculation", "true", "would have two tasks write the same state", "Allowed: false")
    if (StateStores.nameOf(query.provider).isEmpty)
      refuse(Provider, query.provider, "is not one of Spark's state stores", allowedStores)
    if (query.hasStoreIds && provider != StateStores.Providers("rocksdb"))
      refuse(
        "--store",
        "hdfs",
        "cannot hold a checkpoint of format 2, which names each state by an identifier",
        "Allowed: rocksdb"
      )
    query.planned.foreach { next =>
      if (next.settings.get(ShufflePartitions) != settings.get(ShufflePartitions))
        refuse(
          "path",
          from.path.toString,
          s"has a batch ${query.batch + 1} that Spark's own repartitioning has begun and not finished",
          "Finish it first, or use a copy from before"
        )
    }
    if (!Set("v1", "v2").contains(query.commit.version))
      refuse(
        "path",
        from.path.toString,
        s"has a log of commits in format ${query.commit.version}",
        "Allowed: v1, v2"
      )
  }

  private def move(operator: KnownOperator): Long = {
    val form = operator.form
    val after = new StoreVersion(query.batch + 1, Option.when(query.hasStoreIds)(idsOf(operator)))
    val count = form.partitions(partitions)
    // A store of format 1 without changelogs writes one archive in each commit, and only the archive's name contains the version.
    val written = query.stores(
      session,
      operator,
      to,
      Map(
        Provider -> provider,
        Format -> "1",
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "false",
        "spark.sql.streaming.checkpoint.fileChecksum.enabled" -> "false"
      )
    )
    val moved = StateJobs.move(
      session,
      form,
      query.stores(session, operator),
      written,
      new Move(form.partitions(query.shufflePartitions), query.version(operator.id), count, after)
    )
    copyMetadata(operator, count)
    verify(operator, after, count, moved)
    moved
  }

  private def copyMetadata(operator: KnownOperator, count: Int): Unit = {
    val folder = s"state/${operator.id}"
    to.copyFrom(from, s"$folder/0/_metadata")
    val name = s"$folder/_metadata/metadata"
    val entry = from.entry(name)
    val content = entry.content.deepCopy()
    val store = content.path("stateStoreInfo").get(0)
    // One of Spark's operators without keys records the number of shuffle partitions, and has state in the first partition only.
    val number = if (store.path("numPartitions").asInt == 1 && count == 1) 1 else partitions
    store.asInstanceOf[ObjectNode].put("numPartitions", number)
    to.write(name, entry.copy(content = content).text)
  }

  /** Checks the new state by reading it as the query will. */
  private def verify(operator: KnownOperator, after: StoreVersion, count: Int, moved: Long): Unit = {
    val stores = query.stores(session, operator, to, Map(Provider -> provider))
    val report = StateJobs.inspect(session, operator.form, stores, after, count)
    if (!report.isSound)
      refuse(
        "path",
        from.path.toString,
        s"was not moved, since the new state of operator ${operator.id} is not sound: ${report.problems.mkString("; ")}",
        s"See what `checkpoint check ${from.path}` says"
      )
    if (report.entriesOfKeys != moved)
      throw new IllegalStateException(
        s"$moved entries of operator ${operator.id} were moved, and the new state has ${report.entriesOfKeys}"
      )
  }

  private def writeLogs(ids: Map[Long, Seq[String]]): Unit = {
    val changed = Map(ShufflePartitions -> partitions.toString, Provider -> provider)
    (query.batch - 1 to query.batch + 1).filter(_ >= 0).foreach { batch =>
      if (from.exists(s"offsets/$batch"))
        to.write(s"offsets/$batch", from.entry(s"offsets/$batch").withSettings(changed).text)
      if (from.exists(s"commits/$batch"))
        to.write(s"commits/$batch", withIds(from.entry(s"commits/$batch"), ids).text)
    }
  }

  /** The commit with the new identifiers, if it has identifiers. */
  private def withIds(commit: LogEntry, ids: Map[Long, Seq[String]]): LogEntry =
    if (!commit.content.path("stateUniqueIds").isObject) commit
    else {
      val content = commit.content.deepCopy()
      val all = content.putObject("stateUniqueIds")
      ids.toSeq.sortBy(_._1).foreach { case (operator, own) =>
        val partitions = all.putArray(operator.toString)
        own.foreach(partitions.addArray().add(_))
      }
      commit.copy(content = content)
    }
}

private[checkpoints] object Rescale {
  private val allowedStores = s"Allowed: ${StateStores.Providers.keys.toSeq.sorted.mkString(", ")}"

  private def refuse(argument: String, value: String, problem: String, allowed: String): Nothing =
    throw new InvalidCheckpoint(argument, value, problem, allowed)

  /**
   * The rescaling of a checkpoint. Throws [[InvalidCheckpoint]] if an argument is not allowed.
   *
   * @param partitions
   *   the new number of shuffle partitions; none to keep it
   * @param store
   *   the name of the new state store; none to keep it
   */
  def of(
      session: SparkSession,
      query: StoppedQuery,
      to: CheckpointFolder,
      partitions: Option[Int],
      store: Option[String]
  ): Rescale = {
    partitions.filter(_ < 1).foreach { n =>
      refuse("--partitions", n.toString, "is no number of partitions", "Allowed: at least 1")
    }
    val provider = store.map(name =>
      StateStores.Providers.getOrElse(name, refuse("--store", name, "is not known", allowedStores))
    )
    val (old, next) = (query.folder.path.toString, to.path.toString)
    if (s"$next/".startsWith(s"$old/") || s"$old/".startsWith(s"$next/"))
      refuse("new_path", next, s"and $old contain each other", "Allowed: a path outside of the checkpoint")
    new Rescale(
      session,
      query,
      to,
      partitions.getOrElse(query.shufflePartitions),
      provider.getOrElse(query.provider)
    )
  }
}
