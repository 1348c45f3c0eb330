package org.slidewise.spark.expressions

import java.util.Comparator

import munit.ScalaCheckSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.{Gen, Shrink, Test => Check}
import org.scalacheck.Prop.forAll

import org.slidewise.core.{Aggregator, InPlaceAggregator, ObjectAggregator}
import org.slidewise.core.operators.Operators
import org.slidewise.core.operators.{
  ArgMax => CoreArgMax,
  ArgMin => CoreArgMin,
  Bloom,
  M4 => CoreM4,
  NaiveBayes,
  TopK => CoreTopK
}

/** Holds each operator that both the core and SQL have to one definition over short sequences. */
class CoreAgreementSuite extends ScalaCheckSuite {

  override def scalaCheckTestParameters: Check.Parameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(100)

  private val longs = Gen.choose(-3L, 3L)
  private val doubles = Gen.choose(-40, 40).map(_ / 8.0)
  private val pairs = Gen.zip(Gen.choose(0L, 5L), doubles)

  /**
   * Checks that both are what `definition` says.
   *
   * @param core
   *   of the older and the newer elements, combined
   * @param sql
   *   likewise
   */
  private def agree[A](name: String, elements: Gen[A])(
      core: (Seq[A], Seq[A]) => Any,
      sql: (Seq[A], Seq[A]) => Any
  )(definition: Seq[A] => Any): Unit = {
    implicit val noShrink: Shrink[List[A]] = Shrink.shrinkAny
    val lists = Gen.choose(0, 5).flatMap(Gen.listOfN(_, elements))
    property(s"$name: the core and SQL agree") {
      forAll(lists, lists) { (older, newer) =>
        val all = older ++ newer
        if (all.nonEmpty) {
          val expected = definition(all)
          val found = Seq(core(older, newer), sql(older, newer))
          found.foreach(answer =>
            assert(AggregateSteps.same(answer, expected), s"$all: $found, not $expected")
          )
        }
      }
    }
  }

  private def combined[S, In, Out](
      operator: InPlaceAggregator[S, In, Out]
  )(older: Seq[In], newer: Seq[In]): S = {
    def stateOf(elements: Seq[In]): S = {
      val cells = operator.allocate(2 * operator.width)
      operator.identity(cells, 0)
      elements.foreach { e =>
        operator.lift(e, cells, operator.width)
        operator.combine(cells, 0, cells, 0, cells, operator.width)
      }
      cells
    }
    val into = operator.allocate(operator.width)
    operator.combine(into, 0, stateOf(older), 0, stateOf(newer), 0)
    into
  }

  private def coreOf[S, In, Out](
      operator: InPlaceAggregator[S, In, Out]
  )(older: Seq[In], newer: Seq[In]): Out =
    operator.lower(combined(operator)(older, newer), 0)

  private def coreOf[In, Agg, Out](operator: Aggregator[In, Agg, Out])(older: Seq[In], newer: Seq[In]): Out =
    coreOf(ObjectAggregator.of(operator))(older, newer)

  /** The function of these columns and constants; each element is a row. */
  private def sqlOf(
      name: String,
      types: DataType*
  )(constants: Any*): (Seq[Seq[Any]], Seq[Seq[Any]]) => Any = {
    val input = types.zipWithIndex.map { case (of, i) => AttributeReference(s"c$i", of)() }
    val arguments: Seq[Expression] = input ++ constants.map(Literal(_))
    val function =
      SqlFunctions.all.find(_.name == name).get.builder(arguments).asInstanceOf[AggregateFunction]
    val steps = AggregateSteps(function, input)
    def rows(elements: Seq[Seq[Any]]) = elements.map(InternalRow.fromSeq)
    (older, newer) => steps.result(steps.merged(steps.bufferOf(rows(older)), steps.bufferOf(rows(newer))))
  }

  private def ofValues[A](
      function: (Seq[Seq[Any]], Seq[Seq[Any]]) => Any
  )(older: Seq[A], newer: Seq[A]): Any =
    function(older.map(Seq(_)), newer.map(Seq(_)))

  private def ofPairs(function: (Seq[Seq[Any]], Seq[Seq[Any]]) => Any)(
      older: Seq[(Long, Double)],
      newer: Seq[(Long, Double)]
  ): Any =
    function(older.map { case (a, b) => Seq[Any](a, b) }, newer.map { case (a, b) => Seq[Any](a, b) })

  agree("geomean", doubles.map(math.abs(_) + 0.125))(
    coreOf(Operators.geometricMean),
    ofValues(sqlOf("geomean", DoubleType)())
  )(xs => math.exp(xs.map(math.log).sum / xs.size))

  agree("max_count of doubles", doubles)(
    (a, b) => coreOf(Operators.maxCount)(a, b).toLong,
    ofValues(sqlOf("max_count", DoubleType)())
  )(xs => xs.count(_ == xs.max).toLong)

  agree("min_count of doubles", doubles)(
    (a, b) => coreOf(Operators.minCount)(a, b).toLong,
    ofValues(sqlOf("min_count", DoubleType)())
  )(xs => xs.count(_ == xs.min).toLong)

  agree("max_count of bigints", longs)(
    coreOf(Operators.maxCountOfLongs),
    ofValues(sqlOf("max_count", LongType)())
  )(xs => xs.count(_ == xs.max).toLong)

  agree("min_count of bigints", longs)(
    coreOf(Operators.minCountOfLongs),
    ofValues(sqlOf("min_count", LongType)())
  )(xs => xs.count(_ == xs.min).toLong)

  private val byValue: Comparator[(Long, Double)] = (a, b) => java.lang.Double.compare(a._2, b._2)

  agree("arg_max", pairs)(
    (a, b) => coreOf(CoreArgMax.by(byValue))(a, b)._1,
    ofPairs(sqlOf("arg_max", LongType, DoubleType)("first"))
  )(ps => ps.find(_._2 == ps.map(_._2).max).get._1)

  agree("arg_min", pairs)(
    (a, b) => coreOf(CoreArgMin.by(byValue))(a, b)._1,
    ofPairs(sqlOf("arg_min", LongType, DoubleType)("first"))
  )(ps => ps.find(_._2 == ps.map(_._2).min).get._1)

  agree("m4", pairs)(
    { (a, b) =>
      val m4 =
        coreOf(CoreM4.Operator)(a.map((CoreM4.Point.apply _).tupled), b.map((CoreM4.Point.apply _).tupled))
      Seq(m4.first, m4.last, m4.lowest, m4.highest).map(p => Seq[Any](p.time, p.value))
    },
    ofPairs(sqlOf("m4", LongType, DoubleType)())
  ) { ps =>
    val byTime = ps.sorted
    val lowest = ps.minBy { case (t, v) => (v, t) }
    val highest = ps.minBy { case (t, v) => (-v, t) }
    Seq(byTime.head, byTime.last, lowest, highest).map { case (t, v) => Seq[Any](t, v) }
  }

  agree("max_subarray_sum", doubles)(
    coreOf(Operators.maxSubarraySum),
    ofValues(sqlOf("max_subarray_sum", DoubleType)())
  )(xs => (for (i <- xs.indices; j <- i + 1 to xs.size) yield xs.slice(i, j).sum).max)

  agree("top_k", longs)(
    coreOf(new CoreTopK[Long](3, Comparator.naturalOrder[java.lang.Long]().asInstanceOf[Comparator[Long]])),
    ofValues(sqlOf("top_k", LongType)(3))
  )(_.sorted(Ordering[Long].reverse).take(3))

  agree("bottom_k", longs)(
    coreOf(new CoreTopK[Long](3, Comparator.reverseOrder[java.lang.Long]().asInstanceOf[Comparator[Long]])),
    ofValues(sqlOf("bottom_k", LongType)(3))
  )(_.sorted.take(3))

  agree("top_k_by", pairs)(
    (a, b) => coreOf(new CoreTopK[(Long, Double)](3, byValue))(a, b).map(_._1),
    ofPairs(sqlOf("top_k_by", LongType, DoubleType)(3))
  )(_.sortBy(-_._2).take(3).map(_._1))

  private val bloom = new Bloom(256, 4)
  private val bloomSql = sqlOf("bloom_filter_agg", LongType)(100L)

  /** Filters of so many bits hold so few values without a false positive. */
  agree("bloom_filter_agg and might_contain", longs)(
    (a, b) => (-3L to 3L).map(bloom.mightContain(_, combined(bloom)(a, b), 0)),
    { (a, b) =>
      val bytes = ofValues(bloomSql)(a, b).asInstanceOf[Seq[Byte]].toArray
      (-3L to 3L).map(x => MightContain(Literal(bytes), Literal(x)).eval(InternalRow.empty))
    }
  )(xs => (-3L to 3L).map(xs.contains))

  private val examples = Gen.zip(Gen.oneOf("a", "b"), Gen.oneOf("x", "y", "z"), Gen.oneOf("no", "yes"))

  property("naive_bayes_agg and naive_bayes_predict: the core and SQL agree") {
    val features = new StructType().add("f", StringType).add("g", StringType)
    def struct(f: String, g: String) = InternalRow(UTF8String.fromString(f), UTF8String.fromString(g))
    val train = sqlModel(features)
    forAll(Gen.choose(1, 12).flatMap(Gen.listOfN(_, examples)), examples) { (trained, asked) =>
      val (f, g, _) = asked
      val (older, newer) = trained.splitAt(trained.size / 2)
      def coreExamples(of: Seq[(String, String, String)]) =
        of.map { case (f, g, label) => NaiveBayes.Example(Vector(f, g), label) }
      val core =
        coreOf(NaiveBayes.Operator)(coreExamples(older), coreExamples(newer)).classify(Vector(f, g)).get
      def rows(of: Seq[(String, String, String)]) =
        of.map { case (f, g, label) => InternalRow(UTF8String.fromString(label), struct(f, g)) }
      val (model, modelType) = train(rows(older), rows(newer))
      val sql =
        NaiveBayesPredict(Literal(model, modelType), Literal(struct(f, g), features), caseSensitive = true)
          .eval(InternalRow.empty)
          .toString
      // Laplace smoothing: (occurrences in the class + 1) / (rows of the class + distinct values).
      def likelihood(label: String): Double = {
        val of = trained.filter(_._3 == label)
        def part(in: ((String, String, String)) => String, value: String) =
          (of.count(in(_) == value) + 1.0) / (of.size + trained.map(in).distinct.size)
        of.size * part(_._1, f) * part(_._2, g)
      }
      val best = trained.map(e => likelihood(e._3)).max
      assertEquals(sql, core)
      assert(likelihood(core) >= best * (1 - 1e-9), s"$trained, ($f, $g): $core")
    }
  }

  private def sqlModel(
      features: StructType
  ): (Seq[InternalRow], Seq[InternalRow]) => (InternalRow, DataType) = {
    val input = Seq(AttributeReference("label", StringType)(), AttributeReference("features", features)())
    val function = new NaiveBayesAggregate(input.head, input(1))
    val steps = AggregateSteps(function, input)
    (older, newer) => {
      val model = steps.evaluate(steps.merged(steps.bufferOf(older), steps.bufferOf(newer)))
      (model.asInstanceOf[InternalRow], function.dataType)
    }
  }
}
