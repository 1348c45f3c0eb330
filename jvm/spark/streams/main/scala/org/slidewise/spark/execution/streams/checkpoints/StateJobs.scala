package org.slidewise.spark.execution.streams.checkpoints

import java.io.Closeable

import scala.util.control.NonFatal

import org.apache.spark.{Partitioner, TaskContext, TaskKilledException}
import org.apache.spark.rdd.ShuffledRDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.UnsafeRowSerializer
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.streams.{CancellationCheck, CheckedPairs}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.shims.SparkStreaming

/** Spark jobs over the state of an operator, with a task for each partition. */
private[checkpoints] object StateJobs {

  /** Reads a whole state and reports on it. Does not fail if the state is damaged. */
  def inspect(
      session: SparkSession,
      form: StateForm,
      stores: StateStores,
      version: StoreVersion,
      partitions: Int
  ): PartitionReport = session.sparkContext
    .parallelize(0 until partitions, partitions)
    .map(inspected(form, stores, version, partitions))
    .collect()
    .foldLeft(new PartitionReport)(_.add(_))

  private def inspected(form: StateForm, stores: StateStores, version: StoreVersion, partitions: Int)(
      partition: Int
  ): PartitionReport = {
    val report = new PartitionReport
    try {
      val open = stores.read(partition, version)
      try {
        val pairs = SparkStreaming.scan(open.store)
        try readAll(form, open, pairs, new KeyPartitions(form, partitions), partition, report)
        finally pairs.close()
      } finally open.close()
    } catch {
      case killed: TaskKilledException => throw killed
      case NonFatal(e) => report.problem(s"partition $partition cannot be read: ${messageOf(e)}")
    }
    report
  }

  private def readAll(
      form: StateForm,
      open: OpenStore,
      pairs: Iterator[UnsafeRowPair] with Closeable,
      places: KeyPartitions,
      partition: Int,
      report: PartitionReport
  ): Unit = {
    val (keys, values) = (form.schemas.keyStructure, form.schemas.valueStructure)
    val own = new PartitionReport
    val scan = form.scan(open.store)
    val resources = new TaskResources(TaskContext.get())
    val cancellation = new CancellationCheck(() => resources.stopIfCancelled())
    try {
      while (pairs.hasNext) {
        cancellation.step()
        val pair = pairs.next()
        own.entries += 1
        try {
          keys.check(pair.key)
          values.check(pair.value)
          own.bytes += pair.key.getSizeInBytes + pair.value.getSizeInBytes
          if (form.hasKey(pair.key)) {
            own.entriesOfKeys += 1
            if (places.of(pair.key) != partition)
              own.problem(s"a key belongs to partition ${places.of(pair.key)}")
          }
          scan.add(pair, own)
        } catch { case e: CorruptState => own.problem(e.what) }
      }
      scan.finish(own)
    } finally report.add(own, s"partition $partition: ")
  }

  private def messageOf(e: Throwable): String = e match {
    case corrupt: CorruptState => corrupt.what
    case other => Option(other.getMessage).fold(other.toString)(_.linesIterator.take(3).mkString(" "))
  }

  /**
   * Moves a state to new partitions. Throws an exception if an entry is damaged or is not in its partition.
   *
   * @return
   *   the number of entries of keys
   */
  def move(
      session: SparkSession,
      form: StateForm,
      from: StateStores,
      to: StateStores,
      move: Move
  ): Long = {
    val rows = session.sparkContext
      .parallelize(0 until move.partitionsBefore, move.partitionsBefore)
      .flatMap(partition => entriesOf(form, from, move, partition))
    new ShuffledRDD[Int, InternalRow, InternalRow](rows, new ByNumber(move.partitions))
      .setSerializer(new UnsafeRowSerializer(2))
      .mapPartitions { entries =>
        var moved = 0L
        to.write(TaskContext.getPartitionId(), move.after) { store =>
          val writer = form.writer(store)
          val key = new UnsafeRow(form.schemas.key.size)
          val value = new UnsafeRow(form.schemas.value.size)
          entries.foreach { entry =>
            val (ofKey, ofValue) = (entry._2.getBinary(0), entry._2.getBinary(1))
            key.pointTo(ofKey, ofKey.length)
            value.pointTo(ofValue, ofValue.length)
            if (form.hasKey(key)) moved += 1
            writer.put(key, value)
          }
          writer.finish()
        }
        Iterator(moved)
      }
      .collect()
      .sum
  }

  /** The entries of a partition with their new partitions. An entry is valid until the next entry is requested. */
  private def entriesOf(
      form: StateForm,
      from: StateStores,
      move: Move,
      partition: Int
  ): Iterator[(Int, InternalRow)] = {
    val open = from.read(partition, move.before)
    val pairs =
      CheckedPairs.of(SparkStreaming.scan(open.store), form.schemas.keyStructure, form.schemas.valueStructure)
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      try pairs.close()
      finally open.close()
    }
    val before = new KeyPartitions(form, move.partitionsBefore)
    val after = new KeyPartitions(form, move.partitions)
    val bytes = new PairBytes
    pairs.flatMap { pair =>
      if (form.hasKey(pair.key)) {
        if (before.of(pair.key) != partition)
          throw new CorruptState(
            s"an entry of operator ${from.operator} in partition $partition belongs to partition ${before.of(pair.key)}"
          )
        Iterator.single(after.of(pair.key) -> bytes.of(pair))
      } else {
        val carried = form.carried(pair, open.store)
        if (carried == null) Iterator.empty
        else (0 until move.partitions).iterator.map(_ -> bytes.of(carried))
      }
    }
  }

  /** Puts the bytes of a key and a value into one row. */
  final private class PairBytes {
    private[this] val writer = new UnsafeRowWriter(2, 1024)

    def of(pair: UnsafeRowPair): InternalRow = {
      writer.reset()
      writer.write(0, pair.key.getBytes)
      writer.write(1, pair.value.getBytes)
      writer.getRow
    }
  }

  final private class ByNumber(override val numPartitions: Int) extends Partitioner {
    override def getPartition(key: Any): Int = key.asInstanceOf[Int]
  }
}

/** The partitions and the version of a state before and after it is moved. */
final private[checkpoints] class Move(
    val partitionsBefore: Int,
    val before: StoreVersion,
    val partitions: Int,
    val after: StoreVersion
) extends Serializable
