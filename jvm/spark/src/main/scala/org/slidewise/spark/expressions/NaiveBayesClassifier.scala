package org.slidewise.spark.expressions

import org.apache.spark.unsafe.types.UTF8String

/** Classifies by a model. */
final private[expressions] class NaiveBayesClassifier(smoothing: Double, counts: NaiveBayesCounts) {
  import NaiveBayesClassifier._

  private val classes = counts.classes.toArray
  private val total = classes.map(_.count).sum.toDouble

  /** How many different values of a category there are in all classes. */
  private val values: Map[String, Int] =
    classes.flatMap(_.categorical).groupMapReduce(_._1)(_._2.keySet.toSet)(_ ++ _).map { case (f, vs) =>
      f -> vs.size
    }

  /** A part of the largest variance of any feature, so that none is zero. */
  private val leastVariance: Double = {
    val overall = classes
      .flatMap(_.gaussian)
      .groupMapReduce(_._1) { case (_, m) =>
        val all = new Moments(0, 0, 0)
        all.addAll(m)
        all
      } { (all, more) =>
        all.addAll(more)
        all
      }
    math.max(
      math.min(overall.values.map(_.variance).maxOption.getOrElse(0.0), Double.MaxValue) * VarianceSmoothing,
      java.lang.Double.MIN_NORMAL
    )
  }

  /** The labels with their probabilities, the most probable first; of equals, in the order of the model. */
  def probabilities(features: Seq[GivenFeature]): Array[(Any, Double)] = {
    val logs = classes.map(logLikelihood(_, features))
    val most = logs.max
    val weights = logs.map(l => if (l == most) 1.0 else math.exp(l - most))
    val sum = weights.sum
    classes.indices.toArray.sortBy(-weights(_)).map(i => (classes(i).label, weights(i) / sum))
  }

  private def logLikelihood(c: ClassCounts, features: Seq[GivenFeature]): Double =
    features.foldLeft(math.log(c.count / total)) {
      case (log, GivenNumber(feature, x))       => log + ofNumber(c, feature, x)
      case (log, GivenCategory(feature, value)) => log + ofCategory(c, feature, value)
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

  /** The part that scikit-learn's GaussianNB takes. */
  val VarianceSmoothing = 1e-9
}
