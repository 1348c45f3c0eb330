package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, BloomFilterAggregate}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.util.sketch.BloomFilter

import org.slidewise.spark.errors.InvalidArgument
import org.slidewise.spark.shims.{NullForNull, SparkCollations}

/** Spark's Bloom filters over values of any hashable type. */
private[expressions] object BloomFilters {

  /**
   * The bigint that a filter stores for a value: an integer itself, as in Spark, and the hash of any other value. Equal integers
   * of different widths have equal keys, and so have a float and the equal double.
   */
  def key(value: Expression): Expression = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType => Sums.cast(value, LongType)
    case FloatType                                     => hash(Cast(value, DoubleType))
    case _                                             => hash(SparkCollations.binary(value))
  }

  /** Whether equal values of the type have equal keys. */
  def hasKey(value: Expression): Boolean = value.dataType match {
    case _: StringType => true
    case other         =>
      SparkCollations.isBinaryStable(other) && new XxHash64(Seq(value)).checkInputDataTypes().isSuccess
  }

  val Hashed = "hashable (no MAP or VARIANT, and no STRING of a collation within another)"

  private def hash(value: Expression): Expression =
    If(IsNull(value), Literal.create(null, LongType), new XxHash64(Seq(value)))
}

/** Replaced by Spark's BloomFilterAggregate over the keys of the values. */
@ExpressionDescription(
  usage = "_FUNC_(x[, expected[, bits]]) - Returns a Bloom filter of the values of `x`, for `might_contain`.",
  arguments = """
    Arguments:
      * x - any hashable type; strings that are equal by their collation are one value. Nulls are skipped; without other
          values, the result is null.
      * expected - the expected number of distinct values: a constant from 1 to 4000000, by default 10000.
      * bits - the size of the filter in bits: a constant from 1 to 67108864, by default the size with 3 % false positives at
          `expected` values. It can only be given together with `expected`.
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
    The result is in Spark's binary format. The limits are those of spark.sql.optimizer.runtime.bloomFilter.maxNumItems and
    spark.sql.optimizer.runtime.bloomFilter.maxNumBits.
  """,
  group = "agg_funcs",
  since = "0.2.0"
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

  private def maxExpected = SQLConf.get.getConf(SQLConf.RUNTIME_BLOOM_FILTER_MAX_NUM_ITEMS)
  private def maxBits = SQLConf.get.getConf(SQLConf.RUNTIME_BLOOM_FILTER_MAX_NUM_BITS)
  private def expectedArgument = expected.map(ConstantArgument("expected", _))
  private def bitsArgument = bits.map(ConstantArgument("bits", _))

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () =>
        if (BloomFilters.hasKey(x)) TypeCheckSuccess
        else NumericArgument.mismatch(x, 0, BloomFilters.Hashed),
      () => expectedArgument.fold[TypeCheckResult](TypeCheckSuccess)(_.wholeUpTo(maxExpected, 1)),
      () => bitsArgument.fold[TypeCheckResult](TypeCheckSuccess)(_.wholeUpTo(maxBits, 2))
    )

  override lazy val replacement: Expression = {
    def number(constant: ConstantArgument) = constant.value.asInstanceOf[Number].longValue
    val items = expectedArgument.fold(BloomFilterAgg.Expected)(number)
    val size = bitsArgument.fold(
      math.min(maxBits, BloomFilter.optimalNumOfBits(items, BloomFilterAgg.FalsePositives))
    )(number)
    new BloomFilterAggregate(BloomFilters.key(x), Literal(items), Literal(size))
  }

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): BloomFilterAgg =
    copy(c(0), c.lift(1), c.lift(2))
}

private object BloomFilterAgg {

  /** Small enough that a frame may hold a filter for each row. */
  private val Expected = 10000L

  private val FalsePositives = 0.03
}

/** Looks up a value in a filter, which may differ from row to row, unlike that of Spark's BloomFilterMightContain. */
@ExpressionDescription(
  usage = "_FUNC_(filter, x) - Returns false if `x` is not in the Bloom filter, and true if it probably is.",
  arguments = """
    Arguments:
      * filter - a result of `bloom_filter_agg`. Null gives null.
      * x - a value of the type that the filter was made from; integers may have any width. Null gives null.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(f, 3), _FUNC_(f, 4L) FROM (SELECT bloom_filter_agg(x) AS f FROM VALUES (3), (5) AS t(x));
       true	false
  """,
  note = """
    A filter does not record the type of its values. The result is false for a value of another type, as 3.0 for 3, or 1.5 for
    1.50.
  """,
  group = "misc_funcs",
  since = "0.2.0"
)
case class MightContain(left: Expression, right: Expression)
    extends BinaryExpression
    with Predicate
    with CodegenFallback
    with NullForNull {
  override def prettyName: String = "might_contain"

  override def checkInputDataTypes(): TypeCheckResult = left.dataType match {
    case BinaryType | NullType if BloomFilters.hasKey(right) => TypeCheckSuccess
    case BinaryType | NullType => NumericArgument.mismatch(right, 1, BloomFilters.Hashed)
    case _                     => NumericArgument.mismatch(left, 0, toSQLType(BinaryType))
  }

  @transient private lazy val key = BloomFilters.key(right)

  @transient private lazy val filter = CachedDecoder.ofBytes(
    InvalidArgument.read(prettyName, "filter", "a result of `bloom_filter_agg`", _)(SparkSketches.bloomFilter)
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
