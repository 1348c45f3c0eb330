package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.{Dependency, NarrowDependency, Partition, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

/**
 * One task for each range, which reads parts of the runs.
 *
 * @param parts
 *   a partition for each part of each range, range after range
 * @param compute
 *   the results of the `i`th range, given its rows by part
 */
final private[parallel] class RangesRDD[T: ClassTag](
    @transient private val parts: RDD[InternalRow],
    @transient private val ranges: Array[RangeToRead],
    evaluate: (Int, RangeToRead, Int => Iterator[InternalRow]) => Iterator[T]
) extends RDD[T](parts.sparkContext, Nil) {

  @transient private lazy val firstParts = ranges.scanLeft(0)(_ + _.parts.length)

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
      parts.preferredLocations(partition.parts(largest))
    }
  }

  override def compute(split: Partition, context: TaskContext): Iterator[T] = {
    val partition = split.asInstanceOf[RangePartition]
    evaluate(
      partition.index,
      partition.range,
      part => firstParent[InternalRow].iterator(partition.parts(part), context)
    )
  }
}

final private class RangePartition(
    override val index: Int,
    val range: RangeToRead,
    val parts: Array[Partition]
) extends Partition
