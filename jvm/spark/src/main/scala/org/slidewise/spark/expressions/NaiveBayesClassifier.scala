package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.errors.InvalidArgument

/** Classifies features by a model. */
final private[expressions] class NaiveBayesClassifier(smoothing: Double, counts: NaiveBayesCounts) {
  import NaiveBayesClassifier._

  private val classes = counts.classes.toArray
  private val total = classes.map(_.count).sum.toDouble

  /** The number of distinct values of each categorical feature over all classes. */
  private val values: Map[String, Int] =
    classes.flatMap(_.categorical).groupBy(_._1).map { case (feature, ofClasses) =>
      feature -> ofClasses.flatMap(_._2.keySet).distinct.length
    }

  /** Added to each variance, so that none is zero: a fraction of the largest variance of any feature. */
  private val leastVariance: Double = {
    val variances = classes.flatMap(_.gaussian).groupBy(_._1).values.map { ofClasses =>
      val all = new Moments(0, 0, 0)
      ofClasses.foreach { case (_, moments) => all.addAll(moments) }
      all.variance
    }
    math.max(
      math.min(variances.foldLeft(0.0)(math.max), Double.MaxValue) * VarianceSmoothing,
      java.lang.Double.MIN_NORMAL
    )
  }

  /** The labels with their probabilities in descending order; ties stay in the order of the model. */
  def probabilities(features: Seq[KnownFeature]): Array[(Any, Double)] = {
    val logs = classes.map(logLikelihood(_, features))
    val most = logs.max
    val weights = logs.map(l => if (l == most) 1.0 else math.exp(l - most))
    val sum = weights.sum
    classes.indices.toArray.sortBy(-weights(_)).map(i => (classes(i).label, weights(i) / sum))
  }

  private def logLikelihood(c: ClassCounts, features: Seq[KnownFeature]): Double =
    features.foldLeft(math.log(c.count / total)) {
      case (log, KnownNumber(feature, x))       => log + ofNumber(c, feature, x)
      case (log, KnownCategory(feature, value)) => log + ofCategory(c, feature, value)
    }

  private def ofCategory(c: ClassCounts, feature: String, value: UTF8String): Double = {
    val seen = c.categorical.get(feature)
    val all = seen.fold(0L)(_.values.sum)
    math.log((seen.flatMap(_.get(value)).getOrElse(0L) + smoothing) / (all + smoothing * values(feature)))
  }

  private def ofNumber(c: ClassCounts, feature: String, x: Double): Double =
    c.gaussian.get(feature).filter(_.count > 0).fold(0.0) { m =>
      val variance = m.variance + leastVariance
      val deviation = x - m.mean
      val log = -0.5 * (math.log(2 * math.Pi * variance) + deviation * deviation / variance)
      if (log.isNaN) Double.NegativeInfinity else log // of squares past the largest double
    }
}

private object NaiveBayesClassifier {

  /** The default of scikit-learn's GaussianNB. */
  val VarianceSmoothing = 1e-9
}

/** A feature that is not null, under the name that it has in the model. */
sealed private[expressions] trait KnownFeature
final private[expressions] case class KnownNumber(feature: String, x: Double) extends KnownFeature
final private[expressions] case class KnownCategory(feature: String, value: UTF8String) extends KnownFeature

/**
 * Looks up features in a model by name.
 *
 * @param fields
 *   the features of the call: doubles and strings
 */
final private[expressions] class FeatureResolver(
    function: String,
    counts: NaiveBayesCounts,
    fields: Array[StructField],
    resolver: Resolver
) {
  private val numbers = counts.classes.flatMap(_.gaussian.keys).toSet
  private val categories = counts.classes.flatMap(_.categorical.keys).toSet

  /** The features that the model has, without nulls, NaN and infinities. */
  def known(features: InternalRow): Seq[KnownFeature] =
    fields.toSeq.zipWithIndex.filterNot(f => features.isNullAt(f._2)).flatMap { case (field, i) =>
      field.dataType match {
        case DoubleType if !java.lang.Double.isFinite(features.getDouble(i)) => None
        case DoubleType                                                      =>
          val x = features.getDouble(i)
          found(field.name, numbers)
            .orElse(refuse(categories, field.name, s"the number $x", "a category"))
            .map(KnownNumber(_, x))
        case _ =>
          val value = features.getUTF8String(i)
          found(field.name, categories)
            .orElse(refuse(numbers, field.name, s"the category '$value'", "a number"))
            .map(KnownCategory(_, value))
      }
    }

  private def found(name: String, among: Set[String]): Option[String] =
    among.filter(resolver(_, name)).toSeq match {
      case several if several.size > 1 =>
        val names = several.sorted.mkString("`", "`, `", "`")
        throw new InvalidArgument(function, s"features.$name", s"any of $names", "one feature of the model")
      case one => one.headOption
    }

  private def refuse(others: Set[String], name: String, value: String, allowed: String): Option[Nothing] =
    if (found(name, others).isEmpty) None
    else throw new InvalidArgument(function, s"features.$name", value, s"$allowed, as in the model")
}
