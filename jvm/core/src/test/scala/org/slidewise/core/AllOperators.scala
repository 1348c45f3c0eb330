package org.slidewise.core

import java.util.Comparator
import org.scalacheck.Gen
import org.slidewise.core.OperatorSpec.{inPlace, ofDoubles, ofLongs, ofObjects}
import org.slidewise.core.operators._

/** Every operator of the core. LawsSuite and MatrixSuite test each operator of this list. */
object AllOperators {

  private val eighths = Gen.choose(-800, 800).map(_ / 8.0)
  private val positive = Gen.choose(1, 800).map(_ / 8.0)
  private val longs = Gen.oneOf(Gen.choose(-9L, 9L), Gen.long)
  private val special =
    Gen.frequency(
      4 -> eighths,
      1 -> Gen.oneOf(Double.NaN, 0.0, -0.0, Double.PositiveInfinity, Double.NegativeInfinity)
    )
  private val few = Gen.choose(-3, 3).map(_.toDouble)
  private val words = Gen.choose(0, 99).map(i => s"${i % 7}:$i")
  private val points = Gen.zip(Gen.choose(0L, 99L), special).map { case (t, v) => M4.Point(t, v) }
  private val byHead = Comparator.comparing[String, String]((s: String) => s.take(1))
  private val examples = Gen
    .zip(Gen.oneOf("a", "b"), Gen.oneOf("x", "y", "z"), Gen.oneOf("yes", "no"))
    .map { case (f, g, label) => NaiveBayes.Example(Vector(f, g), label) }

  private def sameClassifier(a: NaiveBayes.Classifier, b: NaiveBayes.Classifier): Boolean =
    Seq(Vector("a", "x"), Vector("b", "z"), Vector("b", "?")).forall { features =>
      a.classify(features) == b.classify(features) &&
      Seq("yes", "no").forall(l =>
        OperatorSpec.close(a.logLikelihood(l, features), b.logLikelihood(l, features))
      )
    }

  val all: Seq[OperatorSpec[_, _, _]] = Seq(
    ofDoubles("sum of doubles", DoubleSum, eighths),
    ofLongs("sum of longs", LongSum, longs),
    ofLongs("count", LongCount, longs),
    ofDoubles("mean", Mean, eighths),
    ofDoubles("geometric mean", GeometricMean, positive),
    ofDoubles("variance of a population", Variance.population, eighths),
    ofDoubles("variance by a sample", Variance.sample, eighths),
    ofDoubles("standard deviation of a population", Variance.populationStddev, eighths),
    ofDoubles("standard deviation by a sample", Variance.sampleStddev, eighths),
    ofDoubles("max of doubles", DoubleMax, special),
    ofDoubles("min of doubles", DoubleMin, special),
    ofLongs("max of longs", LongMax, longs),
    ofLongs("min of longs", LongMin, longs),
    ofDoubles("maxCount of doubles", MaxCount.ofDoubles, few),
    ofDoubles("minCount of doubles", MinCount.ofDoubles, few),
    ofLongs("maxCount of longs", MaxCount.ofLongs, Gen.choose(-3L, 3L)),
    ofLongs("minCount of longs", MinCount.ofLongs, Gen.choose(-3L, 3L)),
    ofDoubles("index of argMax", ArgMax.index, special),
    ofDoubles("index of argMin", ArgMin.index, special),
    ofObjects("argMax", ArgMax.by(byHead), words),
    ofObjects("argMin", ArgMin.by(byHead), words),
    ofObjects("M4", M4.Operator, points),
    ofLongs("Bloom filter", new Bloom(256, 4), longs),
    ofObjects("naive Bayes", NaiveBayes.Operator, examples, sameClassifier),
    ofObjects("top-k", new TopK[String](3, byHead), words),
    ofObjects("first", new First[String], words),
    ofObjects("last", new Last[String], words),
    ofObjects("concatenation", new Concatenation[String], words),
    ofObjects("bounded collect", new BoundedCollect[String](5), words),
    inPlace(
      "affine maps",
      Affine.Composition,
      Gen.zip(Gen.oneOf(1.0, -1.0), few).map((Affine.apply _).tupled)
    ),
    inPlace(
      "2x2 matrices",
      Matrix2.Product,
      Gen.zip(longs, longs, longs, longs).map((Matrix2.apply _).tupled)
    ),
    ofDoubles("max-subarray sum", MaxSubarraySum, eighths)
  )
}
