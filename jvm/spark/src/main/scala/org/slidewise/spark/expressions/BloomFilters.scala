package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, BloomFilterAggregate}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils.isBinaryStable
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.util.sketch.BloomFilter

import org.slidewise.spark.errors.InvalidArgument

/** Spark's own Bloom filters, over values of any type that can be hashed. */
private[expressions] object BloomFilters {

  /**
   * What stands for a value in a filter: an integer for itself, as Spark has it, a value of another type for its hash. Equal
   * integers of any width have equal keys, and so have a float and the double that it is.
   */
  def key(value: Expression): Expression = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType => Sums.cast(value, LongType)
    case FloatType                                     => hash(Cast(value, DoubleType))
    case text: StringType if !isBinaryStable(text)     => hash(CollationKey(value))
    case _                                             => hash(value)
  }

  /** Whether the value has a key, the same for equal ones. */
  def hasKey(value: Expression): Boolean = value.dataType match {
    case _: StringType => true
    case other         => isBinaryStable(other) && new XxHash64(Seq(value)).checkInputDataTypes().isSuccess
  }

  val Hashed = "hashable (no MAP or VARIANT, and no STRING of a collation within another)"

  private def hash(value: Expression): Expression =
    If(IsNull(value), Literal.create(null, LongType), new XxHash64(Seq(value)))
}

/** Spark's own BloomFilterAggregate, over the keys of the values. */
@ExpressionDescription(
  usage =
    "_FUNC_(x[, expected[, bits]]) - Returns a Bloom filter of the values of `x`, for `might_contain` to look in.",
  arguments = """
    Arguments:
      * x - of any type that can be hashed; strings that are equal by their collation are the same. Nulls are skipped; where there is nothing else, the result is null.
      * expected - how many different values are expected: a constant from 1 to 4000000, by default 10000.
      * bits - the size of the filter: a constant from 1 to 67108864, by default what makes 3 of 100 values that are not in it
          seem to be, if there are as many in it as expected. It is given together with `expected` only.
  """,
  examples = """
    Examples:
      > SELECT might_contain(f, 'a'), might_contain(f, 'z') FROM (SELECT _FUNC_(x) AS f FROM VALUES ('a'), ('b') AS t(x));
       true	false
      > SELECT i, might_contain(f, 1) FROM (SELECT i, _FUNC_(x, 100) OVER (ORDER BY i ROWS 1 PRECEDING) AS f FROM VALUES (1, 1), (2, 7), (3, 8) AS t(i, x));
       1	true
       2	true
       3	false
  """,
  note = """
    The result is Spark's own binary format. The limits are those of spark.sql.optimizer.runtime.bloomFilter.maxNumItems and
    maxNumBits.
  """,
  group = "agg_funcs",
  since = "0.1.0"
)
case class BloomFilterAgg(x: Expression, expected: Option[Expression], bits: Option[Expression])
    extends AggregateFunction
    with RuntimeReplaceableAggregate {
  def this(x: Expression) = this(x, None, None)
  def this(x: Expression, expected: Expression) = this(x, Some(expected), None)
  def this(x: Expression, expected: Expression, bits: Expression) = this(x, Some(expected), Some(bits))

  override def prettyName: String = "bloom_filter_agg"
  override def children: Seq[Expression] = Seq(x) ++ expected ++ bits
  override def stringArgs: Iterator[Any] = children.iterator

  private def mostExpected = SQLConf.get.getConf(SQLConf.RUNTIME_BLOOM_FILTER_MAX_NUM_ITEMS)
  private def mostBits = SQLConf.get.getConf(SQLConf.RUNTIME_BLOOM_FILTER_MAX_NUM_BITS)
  private def sizeOf = expected.map(ConstantArgument("expected", _))
  private def bitsOf = bits.map(ConstantArgument("bits", _))

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () =>
        if (BloomFilters.hasKey(x)) TypeCheckSuccess
        else NumericArgument.mismatch(x, 0, BloomFilters.Hashed),
      () => sizeOf.fold[TypeCheckResult](TypeCheckSuccess)(_.wholeUpTo(mostExpected, 1)),
      () => bitsOf.fold[TypeCheckResult](TypeCheckSuccess)(_.wholeUpTo(mostBits, 2))
    )

  override lazy val replacement: Expression = {
    def number(constant: ConstantArgument) = constant.value.asInstanceOf[Number].longValue
    val items = sizeOf.fold(BloomFilterAgg.Expected)(number)
    val size = bitsOf.fold(
      math.min(mostBits, BloomFilter.optimalNumOfBits(items, BloomFilterAgg.FalsePositives))
    )(number)
    new BloomFilterAggregate(BloomFilters.key(x), Literal(items), Literal(size))
  }

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): BloomFilterAgg =
    copy(c(0), c.lift(1), c.lift(2))
}

private object BloomFilterAgg {

  /** Filters for so many values are small enough to be kept for each row of a frame. */
  private val Expected = 10000L

  private val FalsePositives = 0.03
}

/** Unlike Spark's own BloomFilterMightContain, for filters that differ from row to row. */
@ExpressionDescription(
  usage =
    "_FUNC_(filter, x) - Returns false if `x` is not among the values of the Bloom filter, and true if it probably is.",
  arguments = """
    Arguments:
      * filter - the result of `bloom_filter_agg`; null gives null.
      * x - of the type that the filter was made of; integers may be of any width. Null gives null.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(f, 3), _FUNC_(f, 4L) FROM (SELECT bloom_filter_agg(x) AS f FROM VALUES (3), (5) AS t(x));
       true	false
  """,
  note = """
    A filter does not know the type that it was made of: a value of another type, as 3.0 for 3, or 1.5 for 1.50, is not in it,
    and the answer is false.
  """,
  group = "misc_funcs",
  since = "0.1.0"
)
case class MightContain(left: Expression, right: Expression)
    extends BinaryExpression
    with Predicate
    with CodegenFallback {
  override def prettyName: String = "might_contain"
  override def nullIntolerant: Boolean = true

  override def checkInputDataTypes(): TypeCheckResult = left.dataType match {
    case BinaryType | NullType if BloomFilters.hasKey(right) => TypeCheckSuccess
    case BinaryType | NullType => NumericArgument.mismatch(right, 1, BloomFilters.Hashed)
    case _                     => NumericArgument.mismatch(left, 0, toSQLType(BinaryType))
  }

  @transient private lazy val key = BloomFilters.key(right)

  @transient private lazy val filter = CachedDecoder.ofBytes(
    InvalidArgument.read(prettyName, "filter", "a result of `bloom_filter_agg`", _)(
      BloomFilter.readFrom(_: Array[Byte])
    )
  )

  override def eval(input: InternalRow): Any = {
    val bytes = left.eval(input)
    val sought = if (bytes == null) null else key.eval(input)
    if (sought == null) null
    else filter(bytes.asInstanceOf[Array[Byte]]).mightContainLong(sought.asInstanceOf[Long])
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): MightContain =
    copy(newLeft, newRight)
}
