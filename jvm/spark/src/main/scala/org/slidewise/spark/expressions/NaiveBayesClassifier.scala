package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Classifies by a model.
 *
 * @param fields
 *   the features that are asked about: doubles and strings
 */
final private[expressions] class NaiveBayesClassifier(
    smoothing: Double,
    counts: NaiveBayesCounts,
    fields: Array[StructField]
) {
  import NaiveBayesClassifier._

  private val classes = counts.classes.toArray
  private val total = classes.map(_._2.count).sum.toDouble

  /** How many different values of a category there are in all classes. */
  private val values: Map[String, Int] =
    classes.flatMap(_._2.categorical).groupMapReduce(_._1)(_._2.keySet.toSet)(_ ++ _).map { case (f, vs) =>
      f -> vs.size
    }

  /** A part of the largest variance of any feature, so that none is zero. */
  private val leastVariance: Double = {
    val overall = classes
      .flatMap(_._2.gaussian)
      .groupMapReduce(_._1) { case (_, m) =>
        val all = new Moments(0, 0, 0)
        all.addAll(m)
        all
      } { (all, more) =>
        all.addAll(more)
        all
      }
    math.max(
      overall.values.map(_.variance).maxOption.getOrElse(0.0) * VarianceSmoothing,
      java.lang.Double.MIN_NORMAL
    )
  }

  /** The labels with their probabilities, the most probable first; of equals, in the order of the model. */
  def probabilities(features: InternalRow): Array[(Any, Double)] = {
    val logs = classes.map { case (_, c) => logLikelihood(c, features) }
    val most = logs.max
    val weights = logs.map(l => if (l == most) 1.0 else math.exp(l - most))
    val sum = weights.sum
    classes.indices.toArray.sortBy(-weights(_)).map(i => (classes(i)._1, weights(i) / sum))
  }

  private def logLikelihood(c: ClassCounts, features: InternalRow): Double = {
    var log = math.log(c.count / total)
    var i = 0
    while (i < fields.length) {
      if (!features.isNullAt(i)) log += (fields(i).dataType match {
        case DoubleType => ofNumber(c, fields(i).name, features.getDouble(i))
        case _          => ofCategory(c, fields(i).name, features.getUTF8String(i))
      })
      i += 1
    }
    log
  }

  private def ofCategory(c: ClassCounts, feature: String, value: UTF8String): Double =
    values.get(feature).fold(0.0) { different =>
      val seen = c.categorical.get(feature)
      val all = seen.fold(0L)(_.values.sum)
      math.log((seen.flatMap(_.get(value)).getOrElse(0L) + smoothing) / (all + smoothing * different))
    }

  private def ofNumber(c: ClassCounts, feature: String, x: Double): Double =
    c.gaussian.get(feature).filter(_.count > 0).fold(0.0) { m =>
      val variance = m.variance + leastVariance
      val deviation = x - m.mean
      -0.5 * (math.log(2 * math.Pi * variance) + deviation * deviation / variance)
    }
}

private object NaiveBayesClassifier {

  /** The part that scikit-learn's GaussianNB takes. */
  val VarianceSmoothing = 1e-9
}
