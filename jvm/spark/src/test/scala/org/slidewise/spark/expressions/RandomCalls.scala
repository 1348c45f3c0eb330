package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.sketch.CountMinSketch
import org.scalacheck.Gen
import org.scalacheck.rng.Seed

import org.slidewise.core.summaries.DyadicDigest
import org.slidewise.spark.errors.InvalidArgument

/** A call of an aggregate function over columns, and rows that the function accepts. */
final case class RandomCall(
    function: AggregateFunction,
    input: Seq[AttributeReference],
    rows: Gen[InternalRow]
) {
  def sample(count: Int, seed: Long): Seq[InternalRow] =
    Gen.listOfN(count, rows).pureApply(Gen.Parameters.default, Seed(seed))

  override def toString: String =
    s"${(function: Expression).sql} over ${input.map(_.dataType.simpleString).mkString(", ")}"
}

/**
 * Finds calls of a registered function from its signature: for each parameter that is a column it tries all types, and for each
 * type several sets of values.
 */
object RandomCalls {

  private val epsilon = 1.0 / 1024

  private def sketch(times: Seq[Long]): Array[Byte] = {
    val digest = DyadicDigest.create(1000, epsilon)
    times.foreach(digest.insert(_, 1))
    digest.toBytes
  }

  private def countMin(values: Seq[Long]): Array[Byte] = {
    val sketch = CountMinSketch.create(3, 20, 7)
    values.foreach(sketch.addLong(_))
    sketch.toByteArray
  }

  /** Few, so that rows tie. */
  private val times = (1L to 4L).map(i => Seq(i, 10 * i, 90 - i))
  private val words = Gen.oneOf("a", "b", "c", "dd").map(UTF8String.fromString)
  private val eighths = Gen.choose(-80, 80).map(_ / 8.0)
  private val features = new StructType().add("n", DoubleType).add("w", StringType)

  /** The types of columns, each with sets of values. */
  private val columns: Seq[(DataType, Seq[Gen[Any]])] = Seq(
    LongType -> Seq(Gen.choose(-9L, 9L), Gen.choose(0L, 9L)),
    DoubleType -> Seq(eighths, eighths.map(math.abs(_))),
    StringType -> Seq(words),
    BooleanType -> Seq(Gen.oneOf(true, false)),
    BinaryType -> Seq(times.map(sketch), times.map(countMin)).map(Gen.oneOf(_)),
    features -> Seq(Gen.zip(Gen.oneOf(0.5, 2.0), words).map { case (n, w) => InternalRow(n, w) })
  )

  private def constant(parameter: Parameter, choice: Int): Expression = parameter.kind.name match {
    case "int"      => Literal(3)
    case "long"     => Literal(100L)
    case "double"   => Literal(epsilon)
    case "boolean"  => Literal(choice == 0)
    case "number"   => Literal(100L)
    case "duration" => Literal(1000L)
    case "words"    => Literal(parameter.kind.words(choice % parameter.kind.words.size))
  }

  /** Calls without optional arguments, and with two choices of all optional arguments. */
  def of(function: SqlFunction): Seq[RandomCall] = {
    val needed = function.parameters.filterNot(_.isOptional)
    if (needed.size == function.parameters.size) calls(function, needed, 0)
    else
      calls(function, needed, 0) ++ calls(function, function.parameters, 0) ++
        calls(function, function.parameters, 1)
  }

  private def calls(function: SqlFunction, parameters: Seq[Parameter], choice: Int): Seq[RandomCall] = {
    val isColumn = (p: Parameter) => Set("column", "time", "width").contains(p.kind.name)
    val names = parameters.filter(isColumn).map(_.name)
    val found = assignments(names.size).flatMap { types =>
      val input = names.zip(types).map { case (name, (dataType, _)) => AttributeReference(name, dataType)() }
      val columnOf = names.zip(input).toMap[String, Expression]
      val arguments = parameters.map(p => columnOf.getOrElse(p.name, constant(p, choice)))
      scala.util
        .Try(function.builder(arguments))
        .toOption
        .collect {
          case aggregate: AggregateFunction if aggregate.checkInputDataTypes().isSuccess =>
            valuesFor(aggregate, input, types.map(_._2))
        }
        .toSeq
        .flatten
    }
    // All columns of one type, as far as possible, and else the first combinations that fit.
    val uniform = found.filter(_.input.map(_.dataType).distinct.size == 1)
    if (uniform.nonEmpty) uniform.take(3) else found.take(2)
  }

  private def assignments(count: Int): Seq[Seq[(DataType, Seq[Gen[Any]])]] =
    (1 to count).foldLeft(Seq(Seq.empty[(DataType, Seq[Gen[Any]])]))((all, _) =>
      all.flatMap(some => columns.map(some :+ _))
    )

  /** The call with the first set of values that the function accepts. */
  private def valuesFor(
      function: AggregateFunction,
      input: Seq[AttributeReference],
      sets: Seq[Seq[Gen[Any]]]
  ): Option[RandomCall] =
    (0 until sets.map(_.size).max).iterator
      .map { i =>
        val columns =
          sets.map(set => Gen.frequency[Any](1 -> Gen.const(null), 9 -> set(math.min(i, set.size - 1))))
        RandomCall(function, input, Gen.sequence[Seq[Any], Any](columns).map(InternalRow.fromSeq))
      }
      .find { call =>
        try {
          AggregateSteps(function, input).resultOf(call.sample(50, seed = 1))
          true
        } catch { case _: InvalidArgument => false }
      }
}
