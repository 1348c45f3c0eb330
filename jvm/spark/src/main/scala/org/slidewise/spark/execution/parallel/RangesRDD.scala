package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.{Dependency, NarrowDependency, Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/**
 * One task for each range, which reads parts of the runs.
 *
 * @param parts
 *   a partition for each of the [[RangeToRead.reads]] of each range, range after range
 * @param evaluate
 *   the results of the `i`th range, given its blocks of rows by part
 */
final private[parallel] class RangesRDD[T: ClassTag](
    @transient private val parts: RDD[InternalRow],
    @transient private val ranges: Array[RangeToRead],
    evaluate: (Int, RangeToRead, Int => Iterator[InternalRow]) => Iterator[T]
) extends RDD[T](parts.sparkContext, Nil) {

  @transient private lazy val firstParts = ranges.scanLeft(0)(_ + _.reads.map(_.length).sum)

  override protected def getDependencies: Seq[Dependency[_]] =
    Seq(new NarrowDependency(parts) {
      // Asked on the driver only.
      @transient private val first = firstParts
      override def getParents(range: Int): Seq[Int] = first(range) until first(range + 1)
    })

  override protected def getPartitions: Array[Partition] =
    Array.tabulate[Partition](ranges.length) { i =>
      new RangePartition(i, ranges(i), parts.partitions.slice(firstParts(i), firstParts(i + 1)))
    }

  /** Where the largest part is. */
  override protected def getPreferredLocations(split: Partition): Seq[String] = {
    val partition = split.asInstanceOf[RangePartition]
    if (partition.parts.isEmpty) Nil
    else {
      val largest = partition.range.parts.indices.maxBy(i => partition.range.parts(i).rows)
      parts.preferredLocations(partition.parts(partition.firstReads(largest)))
    }
  }

  override def compute(split: Partition, context: TaskContext): Iterator[T] = {
    val partition = split.asInstanceOf[RangePartition]
    val first = partition.firstReads
    def read(part: Int) = (first(part) until first(part + 1)).iterator
      .flatMap(i => firstParent[InternalRow].iterator(partition.parts(i), context))
    evaluate(partition.index, partition.range, read(_))
  }
}

final private class RangePartition(
    override val index: Int,
    val range: RangeToRead,
    val parts: Array[Partition]
) extends Partition {

  /** For each part of the range, its first among `parts`. */
  def firstReads: Array[Int] = range.reads.scanLeft(0)(_ + _.length)
}
