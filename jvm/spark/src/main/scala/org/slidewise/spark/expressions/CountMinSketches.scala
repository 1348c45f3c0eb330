package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.sketch.{CountMinSketch, IncompatibleMergeException}

import org.slidewise.spark.errors.InvalidArgument
import org.slidewise.spark.shims.NullForNull

private object CountMinSketches {
  def read(function: String, bytes: Array[Byte]): CountMinSketch =
    InvalidArgument.read(function, "sketch", "a result of `count_min_sketch`", bytes)(SparkSketches.countMin)
}

/** Estimates the frequency of a value by a sketch of Spark's `count_min_sketch`. */
@ExpressionDescription(
  usage =
    "_FUNC_(sketch, x) - Returns an estimate of how often `x` occurs in a count-min sketch; the estimate is never too low.",
  arguments = """
    Arguments:
      * sketch - a result of `count_min_sketch` or `count_min_sketch_merge_agg`. Null gives null.
      * x - a value of the type that the sketch was made from: an integer, a string or binary. Null gives null.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(s, 'a'), _FUNC_(s, 'z') FROM (SELECT count_min_sketch(x, 0.01d, 0.99d, 1) AS s FROM VALUES ('a'), ('b'), ('a') AS t(x));
       2	0
  """,
  group = "misc_funcs",
  since = "0.2.0"
)
case class CountMinSketchEstimate(left: Expression, right: Expression)
    extends BinaryExpression
    with CodegenFallback
    with NullForNull {
  override def prettyName: String = "count_min_sketch_estimate"
  override def dataType: DataType = LongType

  override def checkInputDataTypes(): TypeCheckResult = (left.dataType, right.dataType) match {
    case (BinaryType | NullType, ByteType | ShortType | IntegerType | LongType | BinaryType | NullType) =>
      TypeCheckSuccess
    case (BinaryType | NullType, _: StringType) => TypeCheckSuccess
    case (BinaryType | NullType, _)             =>
      NumericArgument.mismatch(right, 1, "(\"INTEGRAL\" or \"STRING\" or \"BINARY\")")
    case _ => NumericArgument.mismatch(left, 0, toSQLType(BinaryType))
  }

  @transient private lazy val sketch = CachedDecoder.ofBytes(CountMinSketches.read(prettyName, _))

  override protected def nullSafeEval(bytes: Any, value: Any): Any =
    sketch(bytes.asInstanceOf[Array[Byte]]).estimateCount(value match {
      case string: UTF8String => string.getBytes
      case other              => other
    })

  override protected def withNewChildrenInternal(l: Expression, r: Expression): CountMinSketchEstimate =
    copy(l, r)
}

/** The aggregation buffer of [[CountMinSketchMerge]]: empty before the first sketch. */
final class MergedSketch(var sketch: Option[CountMinSketch])

/** Merges sketches of Spark's `count_min_sketch`; a merge takes time linear in the size of a sketch. */
@ExpressionDescription(
  usage = "_FUNC_(sketch) - Returns the count-min sketch of all values of the sketches.",
  arguments = """
    Arguments:
      * sketch - a result of `count_min_sketch`; all with the same error, confidence and seed. Nulls are skipped; without other
          values, the result is null.
  """,
  examples = """
    Examples:
      > SELECT count_min_sketch_estimate(_FUNC_(s), 1) FROM (SELECT count_min_sketch(x, 0.1d, 0.9d, 1) AS s FROM VALUES (1, 1), (2, 1), (2, 5) AS t(day, x) GROUP BY day);
       2
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class CountMinSketchMerge(child: Expression, mutableAggBufferOffset: Int, inputAggBufferOffset: Int)
    extends TypedImperativeAggregate[MergedSketch]
    with UnaryLike[Expression]
    with NonMutatingMerge {
  def this(child: Expression) = this(child, 0, 0)

  override def prettyName: String = "count_min_sketch_merge_agg"
  override def dataType: DataType = BinaryType
  override def nullable: Boolean = true

  override def checkInputDataTypes(): TypeCheckResult = child.dataType match {
    case BinaryType | NullType => TypeCheckSuccess
    case _                     => NumericArgument.mismatch(child, 0, toSQLType(BinaryType))
  }

  override def createAggregationBuffer(): MergedSketch = new MergedSketch(None)

  override def update(buffer: MergedSketch, input: InternalRow): MergedSketch = {
    val bytes = child.eval(input).asInstanceOf[Array[Byte]]
    if (bytes != null) append(buffer, CountMinSketches.read(prettyName, bytes))
    buffer
  }

  override def merge(buffer: MergedSketch, newer: MergedSketch): MergedSketch = {
    newer.sketch.foreach(sketch =>
      append(buffer, if (buffer.sketch.isEmpty) CountMinSketch.readFrom(sketch.toByteArray) else sketch)
    )
    buffer
  }

  private def append(buffer: MergedSketch, sketch: CountMinSketch): Unit =
    try buffer.sketch = Some(buffer.sketch.fold(sketch)(_.mergeInPlace(sketch)))
    catch {
      case _: IncompatibleMergeException =>
        val value = "a sketch with another error, confidence or seed than those before it"
        throw new InvalidArgument(prettyName, "sketch", value, "of the same error, confidence and seed")
    }

  override def eval(buffer: MergedSketch): Any = buffer.sketch.map(_.toByteArray).orNull

  override def serialize(buffer: MergedSketch): Array[Byte] =
    buffer.sketch.fold(Array.emptyByteArray)(_.toByteArray)

  override def deserialize(bytes: Array[Byte]): MergedSketch =
    new MergedSketch(if (bytes.isEmpty) None else Some(CountMinSketches.read(prettyName, bytes)))

  override def withNewMutableAggBufferOffset(offset: Int): CountMinSketchMerge =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): CountMinSketchMerge =
    copy(inputAggBufferOffset = offset)
  override protected def withNewChildInternal(newChild: Expression): CountMinSketchMerge =
    copy(child = newChild)
}
