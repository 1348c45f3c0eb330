package org.slidewise.spark.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.{DataTypeMismatch, TypeCheckSuccess}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.aggregate.BloomFilterAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.util.sketch.BloomFilter

/** Spark's own Bloom filters, over values of any type that can be hashed. */
private[expressions] object BloomFilters {

  /** Filters for so many values are small enough to be kept for each row of a frame. */
  private val Expected = 10000L

  private val FalsePositives = 0.03

  /** Spark's class over the keys of the values, for the arguments of `bloom_filter_agg`. */
  def aggregate(arguments: Seq[Expression]): Expression = {
    val conf = SQLConf.get
    def number(index: Int, name: String, most: Long): Option[Long] =
      arguments.lift(index).map(positive(index, name, most))
    val expected =
      number(1, "expected", conf.getConf(SQLConf.RUNTIME_BLOOM_FILTER_MAX_NUM_ITEMS)).getOrElse(Expected)
    val mostBits = conf.getConf(SQLConf.RUNTIME_BLOOM_FILTER_MAX_NUM_BITS)
    val bits = number(2, "bits", mostBits)
      .getOrElse(math.min(mostBits, BloomFilter.optimalNumOfBits(expected, FalsePositives)))
    new BloomFilterAggregate(key(arguments.head), Literal(expected), Literal(bits))
  }

  /**
   * What stands for a value in a filter: an integer for itself, as Spark has it, a value of another type for its hash. Equal
   * integers of any width have equal keys, and so have a float and the double that it is.
   */
  def key(value: Expression): Expression = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType => Sums.cast(value, LongType)
    case FloatType                                     => hash(Cast(value, DoubleType))
    case _                                             => hash(value)
  }

  private def hash(value: Expression): Expression =
    If(IsNull(value), Literal.create(null, LongType), new XxHash64(Seq(value)))

  /** Spark's class has its arguments checked by assertions, in other words. */
  private def positive(index: Int, name: String, most: Long)(argument: Expression): Long = {
    val constant = ConstantArgument(name, argument)
    val check = argument.dataType match {
      case ByteType | ShortType | IntegerType | LongType | NullType =>
        constant.inRange(s"[1, $most]") {
          case n: Number => n.longValue >= 1 && n.longValue <= most; case _ => false
        }
      case _ => NumericArgument.mismatch(argument, index, toSQLType(LongType))
    }
    check match {
      case DataTypeMismatch(subClass, parameters) =>
        val call = Map("sqlExpr" -> "\"bloom_filter_agg\"")
        throw new AnalysisException(s"DATATYPE_MISMATCH.$subClass", parameters ++ call)
      case _ => constant.value.asInstanceOf[Number].longValue
    }
  }
}

/** Only what is said of it: calls become Spark's own BloomFilterAggregate. */
@ExpressionDescription(
  usage =
    "_FUNC_(x[, expected[, bits]]) - Returns a Bloom filter of the values of `x`, for `might_contain` to look in.",
  arguments = """
    Arguments:
      * x - of any type that can be hashed. Nulls are skipped; where there is nothing else, the result is null.
      * expected - how many different values are expected: a constant from 1 to 4000000, by default 10000.
      * bits - the size of the filter: a constant from 1 to 67108864, by default what makes 3 of 100 values that are not in it
          seem to be, if there are as many in it as expected.
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
  since = "0.2.0"
)
final private[expressions] class BloomFilterAgg

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
  group = "misc_funcs",
  since = "0.2.0"
)
case class MightContain(left: Expression, right: Expression)
    extends BinaryExpression
    with Predicate
    with CodegenFallback {
  override def prettyName: String = "might_contain"
  override def nullIntolerant: Boolean = true

  override def checkInputDataTypes(): TypeCheckResult = left.dataType match {
    case BinaryType | NullType => TypeCheckSuccess
    case _                     => NumericArgument.mismatch(left, 0, toSQLType(BinaryType))
  }

  @transient private lazy val filter = new LastRead(BloomFilter.readFrom(_: Array[Byte]))

  override protected def nullSafeEval(bytes: Any, key: Any): Any =
    filter(bytes.asInstanceOf[Array[Byte]]).mightContainLong(key.asInstanceOf[Long])

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): MightContain =
    copy(newLeft, newRight)
}
