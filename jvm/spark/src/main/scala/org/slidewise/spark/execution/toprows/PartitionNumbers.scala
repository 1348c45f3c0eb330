package org.slidewise.spark.execution.toprows

import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}

import org.slidewise.core.selection.{HeapBudget, LongNumbers}
import org.slidewise.spark.execution.sorting.{GroupNumbers, SortKey}
import org.slidewise.spark.plan.WindowKeys

/**
 * Numbers the partition keys of rows in the order in which they first appear. Rows of one number have the same key. Rows that
 * Spark puts into one partition may have several numbers, such as rows with 0.0 and -0.0.
 */
sealed abstract private[toprows] class PartitionNumbers {

  /** The number of the row's key; -1 if the key is new and there is no memory for it. */
  def of(row: UnsafeRow): Int
}

private[toprows] object PartitionNumbers {
  def of(spec: TopRowsSpec, budget: HeapBudget): PartitionNumbers =
    spec.partition match {
      case Seq(key) if WindowKeys.fitsInLong(SortOrder(key, Ascending)) =>
        new LongPartitionNumbers(new SortKey(SortOrder(key, Ascending)), spec.input, budget)
      case _ => new HashedPartitionNumbers(spec, budget)
    }
}

/** Numbers a single key that 64 bits determine. */
final private class LongPartitionNumbers(key: SortKey, input: Seq[Attribute], budget: HeapBudget)
    extends PartitionNumbers {
  private[this] val read = UnsafeProjection.create(Seq(key.prefix), input)
  private[this] val numbers = new LongNumbers(budget)

  override def of(row: UnsafeRow): Int = {
    val value = read(row)
    if (value.isNullAt(0)) numbers.ofNull() else numbers.of(value.getLong(0))
  }
}

/** Numbers any other keys by their bytes. */
final private class HashedPartitionNumbers(spec: TopRowsSpec, budget: HeapBudget) extends PartitionNumbers {
  private[this] val read =
    UnsafeProjection.create(WindowKeys.asBytes(spec.partition), spec.input)
  private[this] val numbers = new GroupNumbers
  private[this] var granted = 0L

  override def of(row: UnsafeRow): Int = {
    val number = numbers.of(read(row))
    if (numbers.bytes <= granted || acquire(numbers.bytes - granted)) number else -1
  }

  private def acquire(needed: Long): Boolean = {
    val step = math.max(needed, HashedPartitionNumbers.BytesAtOnce)
    val done = budget.acquire(step)
    if (done) granted += step
    done
  }
}

private object HashedPartitionNumbers {
  private val BytesAtOnce = 64L << 10
}
