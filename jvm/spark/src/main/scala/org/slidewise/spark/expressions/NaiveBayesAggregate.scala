package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.errors.CorruptState

/**
 * Trains a naive Bayes classifier, whose counts and moments can be merged. A row takes O(features) time, a merge O(classes ×
 * features × distinct values) time, and a buffer as much space.
 *
 * @see
 *   Izbicki, "Algebraic Classifiers: A Generic Approach to Fast Cross-Validation, Online Training, and Parallel Training", ICML
 *   2013, which Table 1 of Tangwongsan, Hirzel and Schneider names
 */
@ExpressionDescription(
  usage =
    "_FUNC_(label, features[, smoothing]) - Returns a naive Bayes classifier trained on the rows, for `naive_bayes_predict` and `naive_bayes_score`.",
  arguments = """
    Arguments:
      * label - the class of a row: a string, an integer, a boolean or a date. Rows in which it is null are skipped. Strings that
          are equal by their collation are one class, whose label is the least of them in byte order.
      * features - a struct with distinct field names. Numbers are features with a normal distribution in each class, other fields
          are categories. A feature that is null, NaN or infinite is ignored in its row. Strings with a collation other than
          UTF8_BINARY are refused: use x COLLATE UTF8_BINARY or lower(x) COLLATE UTF8_BINARY.
      * smoothing - the Laplace smoothing, which is added to each count of a category: a positive constant, by default 1.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(label, struct(colour, size)) FROM VALUES ('a', 'red', 1), ('a', 'red', 3), ('b', 'blue', 7) AS t(label, colour, size);
       {"smoothing":1.0,"classes":[{"label":"a","count":2,"categorical":{"colour":{"red":2}},"gaussian":{"size":{"count":2,"mean":2.0,"variance":1.0}}},{"label":"b","count":1,"categorical":{"colour":{"blue":1}},"gaussian":{"size":{"count":1,"mean":7.0,"variance":0.0}}}]}
  """,
  note = """
    The result is null without rows. Variances are those of the population. To use a number as a category, cast it to a
    string.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class NaiveBayesAggregate(
    label: Expression,
    features: Expression,
    smoothing: Option[Expression],
    mutableAggBufferOffset: Int,
    inputAggBufferOffset: Int
) extends TypedImperativeAggregate[NaiveBayesCounts]
    with NonMutatingMerge {

  def this(label: Expression, features: Expression) =
    this(label, NaiveBayesFeatures.normalized("naive_bayes_agg", features), None, 0, 0)

  def this(label: Expression, features: Expression, smoothing: Expression) =
    this(label, NaiveBayesFeatures.normalized("naive_bayes_agg", features), Some(smoothing), 0, 0)

  override def prettyName: String = "naive_bayes_agg"
  override def children: Seq[Expression] = Seq(label, features) ++ smoothing
  override def nullable: Boolean = true
  override lazy val dataType: StructType = NaiveBayesModel.dataType(label.dataType)

  private def smoothingArgument = smoothing.map(ConstantArgument("smoothing", _))
  @transient private lazy val labels = TypeUtils.getInterpretedOrdering(label.dataType)
  @transient private lazy val fields = features.dataType.asInstanceOf[StructType].fields

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () =>
        label.dataType match {
          case ByteType | ShortType | IntegerType | LongType | BooleanType | DateType => TypeCheckSuccess
          case _: StringType                                                          => TypeCheckSuccess
          case _                                                                      =>
            NumericArgument.mismatch(label, 0, "(\"STRING\" or \"INTEGRAL\" or \"BOOLEAN\" or \"DATE\")")
        },
      () => NaiveBayesFeatures.check(features, 1),
      () =>
        smoothing.fold[TypeCheckResult](TypeCheckSuccess)(s =>
          ConstantArgument.first(
            () => NumericArgument.check(s, 2),
            () =>
              smoothingArgument.get.inRange("(0, 1.7976931348623157E308]")(_ =>
                amount > 0 && !amount.isInfinite
              )
          )
        )
    )

  private lazy val amount: Double = smoothingArgument.fold(1.0)(_.value match {
    case decimal: Decimal => decimal.toDouble
    case number           => number.asInstanceOf[Number].doubleValue
  })

  override def createAggregationBuffer(): NaiveBayesCounts = new NaiveBayesCounts(label.dataType)

  override def update(buffer: NaiveBayesCounts, input: InternalRow): NaiveBayesCounts = {
    val of = label.eval(input)
    val row = features.eval(input).asInstanceOf[InternalRow]
    if (of != null && row != null) {
      val perClass = buffer.of(InternalRow.copyValue(of))
      perClass.count += 1
      var i = 0
      while (i < fields.length) {
        if (!row.isNullAt(i)) fields(i).dataType match {
          case DoubleType =>
            val x = row.getDouble(i)
            if (java.lang.Double.isFinite(x)) perClass.moments(fields(i).name).add(x)
          case _ =>
            perClass.addCategory(fields(i).name, UTF8String.fromBytes(row.getUTF8String(i).getBytes), 1)
        }
        i += 1
      }
    }
    buffer
  }

  override def merge(buffer: NaiveBayesCounts, newer: NaiveBayesCounts): NaiveBayesCounts = {
    buffer.addAll(newer)
    buffer
  }

  override def eval(buffer: NaiveBayesCounts): Any =
    if (buffer.classes.isEmpty) null else NaiveBayesModel.toRow(buffer, amount, labels)

  @transient private lazy val projection = UnsafeProjection.create(dataType)
  @transient private lazy val structure = RowStructure.of(dataType)

  override def serialize(buffer: NaiveBayesCounts): Array[Byte] =
    projection(NaiveBayesModel.toRow(buffer, 0, labels)).getBytes

  override def deserialize(bytes: Array[Byte]): NaiveBayesCounts = {
    val row = new UnsafeRow(dataType.length)
    row.pointTo(bytes, bytes.length)
    try NaiveBayesModel.fromRow(structure.check(row), label.dataType)._2
    catch { case e: IllegalArgumentException => throw new CorruptState(e.getMessage) }
  }

  override def withNewMutableAggBufferOffset(offset: Int): NaiveBayesAggregate =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): NaiveBayesAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): NaiveBayesAggregate =
    copy(label = c(0), features = c(1), smoothing = c.lift(2))
}
