package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/** The partitions of a batch's rows, as Spark's `HashPartitioning` numbers them. */
abstract private[execution] class PartitionIds {

  /** Writes the partitions of the rows `from` to before `end` into `into`, from index 0 on. */
  def read(batch: ColumnarBatch, from: Int, end: Int, into: Array[Int]): Unit
}

private[execution] object PartitionIds {

  /** All rows are in the first partition. */
  val One: PartitionIds = new PartitionIds {
    override def read(batch: ColumnarBatch, from: Int, end: Int, into: Array[Int]): Unit =
      java.util.Arrays.fill(into, 0, end - from, 0)
  }

  /**
   * @param expression
   *   `HashPartitioning.partitionIdExpression`
   */
  def of(expression: Expression, input: Seq[Attribute]): PartitionIds = expression match {
    case Pmod(Murmur3OfColumns(columns, seed), Literal(count: Int, IntegerType), _) =>
      val ordinals = columns.map(column => input.indexWhere(_.exprId == column.exprId))
      new OfColumns(ordinals.toArray, columns.map(_.dataType).toArray, seed, count)
    case other => new OfRows(other, input)
  }

  /** Matches a Murmur3 hash of columns whose types have a [[Hasher]]. Returns the columns and the seed. */
  private object Murmur3OfColumns {
    def unapply(hash: HashExpression[_]): Option[(Seq[Attribute], Int)] = {
      val columns = hash.children.collect {
        case a: AttributeReference if Hashed.isDefinedAt(a.dataType) => a
      }
      if (columns.size == hash.children.size) seedOf(hash).map(columns -> _) else None
    }
  }

  private def seedOf(hash: HashExpression[_]): Option[Int] = hash match {
    case murmur: Murmur3Hash                                                  => Some(murmur.seed)
    case other if other.getClass.getSimpleName == "CollationAwareMurmur3Hash" =>
      other.productIterator.collectFirst { case seed: Int => seed }
    case _ => None
  }

  /** Evaluates any expression row by row. */
  final private class OfRows(expression: Expression, input: Seq[Attribute]) extends PartitionIds {
    private[this] val number = UnsafeProjection.create(Seq(expression), input)

    override def read(batch: ColumnarBatch, from: Int, end: Int, into: Array[Int]): Unit = {
      var row = from
      while (row < end) {
        into(row - from) = number(batch.getRow(row)).getInt(0)
        row += 1
      }
    }
  }

  /** Evaluates the hash of some columns, column by column. */
  final private class OfColumns(ordinals: Array[Int], types: Array[DataType], seed: Int, count: Int)
      extends PartitionIds {
    private[this] val hashed = types.map(Hashed)

    override def read(batch: ColumnarBatch, from: Int, end: Int, into: Array[Int]): Unit = {
      java.util.Arrays.fill(into, 0, end - from, seed)
      var i = 0
      while (i < ordinals.length) {
        hashed(i)(batch.column(ordinals(i)), from, end, into)
        i += 1
      }
      var row = 0
      while (row < end - from) {
        val rest = into(row) % count
        into(row) = if (rest < 0) rest + count else rest
        row += 1
      }
    }
  }

  /**
   * Adds a further column to hashes. The arguments are the column's vector, the first row, the row after the last, and the
   * hashes.
   */
  private type Hasher = (ColumnVector, Int, Int, Array[Int]) => Unit

  private val Hashed: PartialFunction[DataType, Hasher] = {
    case IntegerType | DateType                                               => ofInts
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType => ofLongs
    case StringType                                                           => ofStrings
  }

  private val ofInts: Hasher = (vector, from, end, hashes) => {
    var row = from
    while (row < end) {
      if (!vector.isNullAt(row))
        hashes(row - from) = Murmur3_x86_32.hashInt(vector.getInt(row), hashes(row - from))
      row += 1
    }
  }

  private val ofLongs: Hasher = (vector, from, end, hashes) => {
    var row = from
    while (row < end) {
      if (!vector.isNullAt(row))
        hashes(row - from) = Murmur3_x86_32.hashLong(vector.getLong(row), hashes(row - from))
      row += 1
    }
  }

  private val ofStrings: Hasher = (vector, from, end, hashes) => {
    var row = from
    while (row < end) {
      if (!vector.isNullAt(row)) {
        val text = vector.getUTF8String(row)
        hashes(row - from) = Murmur3_x86_32.hashUnsafeBytes(
          text.getBaseObject,
          text.getBaseOffset,
          text.numBytes,
          hashes(row - from)
        )
      }
      row += 1
    }
  }
}
