package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{Resolver, TypeCheckResult}
import org.apache.spark.sql.catalyst.analysis.{caseInsensitiveResolution, caseSensitiveResolution}
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.NullForNull

/** Evaluates a model of `naive_bayes_agg` for features in O(classes × features) time, plus a comparison with the last model. */
abstract class NaiveBayesScore extends BinaryExpression with CodegenFallback with NullForNull {
  override def nullable: Boolean = true

  /** Whether names of features are compared case-sensitively. */
  def caseSensitive: Boolean

  override protected def stringArgs: Iterator[Any] = children.iterator

  protected def labelType: DataType = NaiveBayesModel.labelType(left.dataType).getOrElse(NullType)

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () =>
        if (NaiveBayesModel.labelType(left.dataType).isDefined) TypeCheckSuccess
        else NumericArgument.mismatch(left, 0, "result of `naive_bayes_agg`"),
      () => NaiveBayesFeatures.check(right, 1)
    )

  @transient private lazy val fields = right.dataType.asInstanceOf[StructType].fields

  private def resolver: Resolver = if (caseSensitive) caseSensitiveResolution else caseInsensitiveResolution

  @transient private lazy val read = CachedDecoder.ofRows { model =>
    val (smoothing, counts) = NaiveBayesModel.fromRow(model, labelType)
    (new FeatureResolver(prettyName, counts, fields, resolver), new NaiveBayesClassifier(smoothing, counts))
  }

  override protected def nullSafeEval(model: Any, features: Any): Any = {
    val (names, classifier) = read(model.asInstanceOf[InternalRow])
    answer(classifier.probabilities(names.known(features.asInstanceOf[InternalRow])))
  }

  protected def answer(probabilities: Array[(Any, Double)]): Any
}

private[expressions] object NaiveBayesScore {
  final val Arguments = """
    Arguments:
      * model - a result of `naive_bayes_agg`. Null gives null.
      * features - a struct with the field names of the training features, which are compared as column names are. A feature that is
          null, NaN or infinite, or unknown to the model, is ignored. A number where the model has categories, or a category
          where it has numbers, is an error.
  """
}

@ExpressionDescription(
  usage =
    "_FUNC_(model, features) - Returns the most probable label for `features` by a model of `naive_bayes_agg`.",
  arguments = NaiveBayesScore.Arguments,
  examples = """
    Examples:
      > SELECT _FUNC_(m, named_struct('size', 6)) FROM (SELECT naive_bayes_agg(label, struct(size)) AS m FROM VALUES ('a', 1), ('a', 2), ('b', 5), ('b', 7) AS t(label, size));
       b
  """,
  note = """
    Of equally probable labels, the least is returned. A category unknown to the model counts as unseen in every class. A
    billionth of the largest variance is added to each variance, as scikit-learn does.
  """,
  group = "misc_funcs",
  since = "0.2.0"
)
case class NaiveBayesPredict(left: Expression, right: Expression, caseSensitive: Boolean)
    extends NaiveBayesScore {

  def this(model: Expression, features: Expression) =
    this(
      model,
      NaiveBayesFeatures.normalized("naive_bayes_predict", features),
      SQLConf.get.caseSensitiveAnalysis
    )

  override def prettyName: String = "naive_bayes_predict"
  override def dataType: DataType = labelType
  override protected def answer(probabilities: Array[(Any, Double)]): Any = probabilities.head._1
  override protected def withNewChildrenInternal(l: Expression, r: Expression): NaiveBayesPredict = copy(l, r)
}

@ExpressionDescription(
  usage =
    "_FUNC_(model, features) - Returns the labels of a model with their probabilities, in descending order of probability.",
  arguments = NaiveBayesScore.Arguments,
  examples = """
    Examples:
      > SELECT s.label, round(s.probability, 4) FROM (SELECT explode(_FUNC_(m, named_struct('colour', 'red'))) AS s FROM (SELECT naive_bayes_agg(label, struct(colour)) AS m FROM VALUES ('a', 'red'), ('a', 'red'), ('b', 'blue'), ('b', 'red') AS t(label, colour)));
       a	0.6
       b	0.4
  """,
  group = "misc_funcs",
  since = "0.2.0"
)
case class NaiveBayesProbabilities(left: Expression, right: Expression, caseSensitive: Boolean)
    extends NaiveBayesScore {

  def this(model: Expression, features: Expression) =
    this(
      model,
      NaiveBayesFeatures.normalized("naive_bayes_score", features),
      SQLConf.get.caseSensitiveAnalysis
    )

  override def prettyName: String = "naive_bayes_score"

  override def dataType: DataType = ArrayType(
    new StructType()
      .add("label", labelType, nullable = false)
      .add("probability", DoubleType, nullable = false),
    containsNull = false
  )

  override protected def answer(probabilities: Array[(Any, Double)]): Any =
    new GenericArrayData(probabilities.map { case (label, p) => InternalRow(label, p) })

  override protected def withNewChildrenInternal(l: Expression, r: Expression): NaiveBayesProbabilities =
    copy(l, r)
}
