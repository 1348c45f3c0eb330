package org.slidewise.spark.execution.streams.checkpoints

import java.io.Closeable
import java.util.UUID

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.util.SerializableConfiguration

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.shims.SparkStreaming

/**
 * The state stores of an operator, one for each partition. They are opened outside of Spark's registry of stores, whose maintenance
 * would write snapshots and delete files.
 *
 * @param states
 *   the folder `state` of the checkpoint
 */
final private[checkpoints] class StateStores(
    val states: String,
    val operator: Long,
    val schemas: StoreSchemas,
    val conf: StateStoreConf,
    val hadoopConf: SerializableConfiguration
) extends Serializable {

  def folder(partition: Int): Path = new Path(new Path(states, operator.toString), partition.toString)

  /** Opens the state of a partition for reading. Throws [[CorruptState]] if its folder is missing. */
  def read(partition: Int, version: StoreVersion): OpenStore = {
    // Opening a store would create a missing folder.
    if (!CheckpointFolder.isIn(folder(partition), hadoopConf.value))
      throw new CorruptState(s"the folder ${folder(partition)} is missing")
    val provider = open(partition)
    try new OpenStore(provider, provider.getReadStore(version.number, version.ids.map(idOf(_, partition))))
    catch { case e: Throwable => provider.close(); throw e }
  }

  private def idOf(ids: Seq[String], partition: Int): String = ids
    .lift(partition)
    .filter(_.nonEmpty)
    .getOrElse(throw new CorruptState(s"the commit has no identifier of the state of partition $partition"))

  /** Writes a new state of a partition. */
  def write(partition: Int, version: StoreVersion)(content: StateStore => Unit): Unit = {
    val fileSystem = folder(partition).getFileSystem(hadoopConf.value)
    fileSystem.delete(folder(partition), true) // of an attempt that has failed
    val provider = open(partition)
    try {
      val store = provider.getStore(0L)
      try {
        content(store)
        store.commit()
      } finally if (!store.hasCommitted) store.abort()
    } finally provider.close()
    val (written, name) = StateStores.files(conf.providerClass, version, partition)
    val (from, to) = (new Path(folder(partition), written), new Path(folder(partition), name))
    if (from != to && !fileSystem.rename(from, to))
      throw new IllegalStateException(s"$from was not renamed to $to")
  }

  private def open(partition: Int): StateStoreProvider = StateStoreProvider.createAndInit(
    StateStoreProviderId(
      StateStoreId(states, operator, partition, StateStoreId.DEFAULT_STORE_NAME),
      UUID.fromString(hadoopConf.value.get(SparkStreaming.RunIdKey))
    ),
    schemas.key,
    schemas.value,
    if (schemas.prefixColumns == 0) NoPrefixKeyStateEncoderSpec(schemas.key)
    else PrefixKeyScanStateEncoderSpec(schemas.key, schemas.prefixColumns),
    useColumnFamilies = false,
    conf,
    hadoopConf.value,
    useMultipleValuesPerKey = false,
    stateSchemaProvider = None
  )
}

/**
 * The version of a state: one more than the last batch, and, in format 2 of Spark's checkpoints, an identifier for each
 * partition.
 */
final private[checkpoints] class StoreVersion(val number: Long, val ids: Option[Seq[String]])
    extends Serializable

/** A store that is open for reading. */
final private[checkpoints] class OpenStore(provider: StateStoreProvider, val store: ReadStateStore)
    extends Closeable {
  override def close(): Unit =
    try store.abort()
    finally provider.close()
}

private[checkpoints] object StateStores {
  private val OfSpark = "org.apache.spark.sql.execution.streaming.state."

  /** Spark's state stores by their names in the command. */
  val Providers: Map[String, String] = Map(
    "rocksdb" -> s"${OfSpark}RocksDBStateStoreProvider",
    "hdfs" -> s"${OfSpark}HDFSBackedStateStoreProvider"
  )

  def nameOf(provider: String): Option[String] =
    Providers.collectFirst { case (name, `provider`) => name }

  /**
   * The file that a new store writes with its first version, and the file of the wanted version. A store can only begin with version
   * 1. Both kinds of store record the version only in the name of the file, so that renaming changes the version. RocksDB's archive
   * contains the names of its files. The first changes of an HDFS-backed store have the format of a snapshot, since they remove
   * nothing.
   */
  private def files(provider: String, version: StoreVersion, partition: Int): (String, String) =
    if (provider == Providers("rocksdb"))
      "1.zip" -> s"${version.number}${version.ids.fold("")(ids => s"_${ids(partition)}")}.zip"
    else "1.delta" -> (if (version.number == 1) "1.delta" else s"${version.number}.snapshot")
}
