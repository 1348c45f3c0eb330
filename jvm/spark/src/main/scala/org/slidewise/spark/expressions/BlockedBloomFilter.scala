package org.slidewise.spark.expressions

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * A Bloom filter of 64-bit hashes that sets four bits of one word for each hash, so that a test reads one word and has one branch.
 * Spark's filter reads up to six bits in as many cache lines, one division for each. With as many words as
 * [[BlockedBloomFilter.words]] gives, less than 1.5 % of other hashes pass; more, if the filter has its greatest size.
 *
 * @param words
 *   a power of two of words
 * @see
 *   Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters", WEA 2007
 */
final class BlockedBloomFilter private (private val words: Array[Long]) extends Serializable {
  private[this] val last = words.length - 1

  def add(hash: Long): Unit = words(placeOf(hash)) |= bitsOf(hash)

  def mightContain(hash: Long): Boolean = {
    val bits = bitsOf(hash)
    (words(placeOf(hash)) & bits) == bits
  }

  /** Adds the hashes of a filter of as many words. */
  def addAll(other: BlockedBloomFilter): Unit = words.indices.foreach(i => words(i) |= other.words(i))

  def toBytes: Array[Byte] = {
    val bytes = ByteBuffer.allocate(words.length * java.lang.Long.BYTES)
    bytes.asLongBuffer.put(words)
    bytes.array
  }

  // The bits of a hash of 64 bits are independent: the upper ones choose the word, the lower ones its bits.
  private def placeOf(hash: Long): Int = (hash >>> 40).toInt & last

  private def bitsOf(hash: Long): Long =
    1L << hash | 1L << (hash >>> 6) | 1L << (hash >>> 12) | 1L << (hash >>> 18)
}

object BlockedBloomFilter {
  private val HashesOfWord = 4
  private val MostWords = 1 << 20

  def empty(words: Int): BlockedBloomFilter = new BlockedBloomFilter(new Array(words))

  def fromBytes(bytes: Array[Byte]): BlockedBloomFilter = {
    val words = new Array[Long](bytes.length / java.lang.Long.BYTES)
    ByteBuffer.wrap(bytes).asLongBuffer.get(words)
    new BlockedBloomFilter(words)
  }

  /** The number of words for so many hashes, about as much memory as Spark's runtime filters at most. */
  def words(hashes: Long): Int = {
    val most = SQLConf.get.getConf(SQLConf.RUNTIME_BLOOM_FILTER_NUM_BITS) / java.lang.Long.SIZE
    val needed = math.min(hashes / HashesOfWord, math.min(most, MostWords)).toInt
    Integer.highestOneBit(2 * math.max(needed, 1) - 1)
  }
}

/**
 * A [[BlockedBloomFilter]] of hashes, as bytes. Not null over no rows.
 *
 * @param hash
 *   a bigint whose bits are independent
 */
final case class BlockedBloomFilterAggregate(
    hash: Expression,
    words: Int,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[BlockedBloomFilter] {
  override def children: Seq[Expression] = Seq(hash)
  override def dataType: DataType = BinaryType
  override def nullable: Boolean = false
  override def prettyName: String = "blocked_bloom_filter"

  override def createAggregationBuffer(): BlockedBloomFilter = BlockedBloomFilter.empty(words)

  override def update(buffer: BlockedBloomFilter, row: InternalRow): BlockedBloomFilter = {
    val value = hash.eval(row)
    if (value != null) buffer.add(value.asInstanceOf[Long])
    buffer
  }

  override def merge(buffer: BlockedBloomFilter, other: BlockedBloomFilter): BlockedBloomFilter = {
    buffer.addAll(other)
    buffer
  }

  override def eval(buffer: BlockedBloomFilter): Any = buffer.toBytes
  override def serialize(buffer: BlockedBloomFilter): Array[Byte] = buffer.toBytes
  override def deserialize(bytes: Array[Byte]): BlockedBloomFilter = BlockedBloomFilter.fromBytes(bytes)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): Expression =
    copy(hash = children.head)
}

/**
 * Whether a [[BlockedBloomFilter]] may hold a hash.
 *
 * @param filter
 *   its bytes, the same for all rows, such as those of a subquery. Null if they are null
 * @param hash
 *   a bigint, never null
 */
final case class BlockedBloomFilterMightContain(filter: Expression, hash: Expression)
    extends BinaryExpression
    with Predicate {
  override def left: Expression = filter
  override def right: Expression = hash
  override def nullable: Boolean = filter.nullable
  override def prettyName: String = "might_contain"

  @transient private lazy val known =
    Option(filter.eval().asInstanceOf[Array[Byte]]).map(BlockedBloomFilter.fromBytes)

  override def eval(row: InternalRow): Any =
    known.map(_.mightContain(hash.eval(row).asInstanceOf[Long])).orNull[Any]

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = known match {
    case Some(of) =>
      val filter = ctx.addReferenceObj("bloomFilter", of)
      val value = hash.genCode(ctx)
      val test = code"""${value.code}
        boolean ${ev.value} = $filter.mightContain(${value.value});"""
      ev.copy(code = test, isNull = FalseLiteral)
    case None => ev.copy(isNull = TrueLiteral, value = FalseLiteral)
  }

  override protected def withNewChildrenInternal(left: Expression, right: Expression): Expression =
    copy(filter = left, hash = right)
}
