package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.{Dependency, Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/**
 * An RDD with one task for each range, which reads parts of the runs. A task gets only the data of its own range.
 *
 * Depends on the shuffle itself, as Spark's RDDs of shuffles do, because a barrier stage must not contain an RDD with another
 * number of partitions.
 *
 * @param parts
 *   a partition for each of the [[RangeToRead.reads]] of each range, range after range
 * @param reader
 *   reads any partition of `parts`; tasks get it instead of `parts`, which grows with the number of ranges
 * @param ranges
 *   the ranges, each with a value that `evaluate` needs besides its rows
 * @param evaluate
 *   computes the results of a range from its blocks of rows by part
 */
final private[parallel] class RangesRDD[A, T: ClassTag](
    @transient private val parts: RDD[InternalRow],
    private[this] var reader: RDD[InternalRow],
    @transient private val ranges: Array[(RangeToRead, A)],
    evaluate: (RangeToRead, A, Int => Iterator[InternalRow]) => Iterator[T]
) extends RDD[T](parts.sparkContext, Nil) {

  override protected def getDependencies: Seq[Dependency[_]] = reader.dependencies

  override def clearDependencies(): Unit = {
    super.clearDependencies()
    reader = null
  }

  override protected def getPartitions: Array[Partition] = {
    val firstParts = ranges.scanLeft(0)(_ + _._1.reads.map(_.length).sum)
    Array.tabulate[Partition](ranges.length) { i =>
      new RangePartition(
        i,
        ranges(i)._1,
        ranges(i)._2,
        parts.partitions.slice(firstParts(i), firstParts(i + 1))
      )
    }
  }

  /** The location of the range's largest part. */
  override protected def getPreferredLocations(split: Partition): Seq[String] = {
    val partition = split.asInstanceOf[RangePartition[A]]
    if (partition.parts.isEmpty) Nil
    else {
      val largest = partition.range.parts.indices.maxBy(i => partition.range.parts(i).rows)
      parts.preferredLocations(partition.parts(partition.firstReads(largest)))
    }
  }

  override def compute(split: Partition, context: TaskContext): Iterator[T] = {
    val partition = split.asInstanceOf[RangePartition[A]]
    val first = partition.firstReads
    def read(part: Int) = (first(part) until first(part + 1)).iterator
      .flatMap(i => reader.iterator(partition.parts(i), context))
    evaluate(partition.range, partition.value, read(_))
  }
}

final private class RangePartition[A](
    override val index: Int,
    val range: RangeToRead,
    val value: A,
    val parts: Array[Partition]
) extends Partition {

  /** For each part of the range, its first partition among `parts`. */
  def firstReads: Array[Int] = range.reads.scanLeft(0)(_ + _.length)
}
