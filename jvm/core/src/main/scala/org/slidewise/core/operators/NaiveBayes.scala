package org.slidewise.core.operators

import org.slidewise.core
import org.slidewise.core.InvertibleAggregator

/**
 * Naive Bayes classifier over categorical features. The model is a set of counts, so that models merge by addition.
 *
 * @see
 *   Izbicki, "Algebraic Classifiers: A Generic Approach to Fast Cross-Validation, Online Training, and Parallel
 *   Training", ICML 2013
 */
object NaiveBayes {

  /** The values of the features, in a fixed order, and the class. */
  final case class Example(features: IndexedSeq[String], label: String)

  /** The number of examples of each class, and of each value of each feature in each class. */
  final case class Counts(labels: Map[String, Long], values: Map[(String, Int, String), Long])

  /** Classifies by the counts of a window, with Laplace smoothing. */
  final class Classifier(counts: Counts) {
    private val total = counts.labels.values.sum.toDouble
    private val distinct: Map[Int, Int] =
      counts.values.keySet.map { case (_, feature, value) => (feature, value) }.groupBy(_._1).map {
        case (f, vs) =>
          f -> vs.size
      }

    /** The most probable class of `features`, the first by name of equal ones; None if there were no examples. */
    def classify(features: IndexedSeq[String]): Option[String] =
      if (counts.labels.isEmpty) None
      else Some(counts.labels.keys.toSeq.sorted.maxBy(logLikelihood(_, features)))

    /** The logarithm of the joint probability of `label` and `features`, up to a constant. */
    def logLikelihood(label: String, features: IndexedSeq[String]): Double = {
      val ofLabel = counts.labels.getOrElse(label, 0L).toDouble
      features.indices.foldLeft(math.log(ofLabel / total)) { (sum, i) =>
        val seen = counts.values.getOrElse((label, i, features(i)), 0L)
        sum + math.log((seen + 1.0) / (ofLabel + distinct.getOrElse(i, 0)))
      }
    }
  }

  /** Counts examples. Invertible. */
  object Operator extends InvertibleAggregator[Example, Counts, Classifier] {
    override def commutative: Boolean = true
    override def stateBytes: Long = core.Operator.Grows
    override val identity: Counts = Counts(Map.empty, Map.empty)

    override def lift(in: Example): Counts =
      Counts(Map(in.label -> 1L), in.features.indices.map(i => (in.label, i, in.features(i)) -> 1L).toMap)

    override def combine(older: Counts, newer: Counts): Counts =
      Counts(add(older.labels, newer.labels, 1), add(older.values, newer.values, 1))

    override def subtract(whole: Counts, oldest: Counts): Counts =
      Counts(add(whole.labels, oldest.labels, -1), add(whole.values, oldest.values, -1))

    override def lower(agg: Counts): Classifier = new Classifier(agg)

    private def add[K](to: Map[K, Long], more: Map[K, Long], sign: Int): Map[K, Long] =
      more.foldLeft(to) { case (sums, (key, count)) =>
        val sum = sums.getOrElse(key, 0L) + sign * count
        if (sum == 0L) sums - key else sums.updated(key, sum)
      }
  }
}
