package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.{Expression, PythonFuncExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{DeclarativeAggregate, TypedImperativeAggregate}
import org.apache.spark.sql.execution.aggregate.{ScalaAggregator, ScalaUDAF, TypedAggregateExpression}

import org.slidewise.spark.expressions.{ApproximateAggregate, OrderDependent, SummarizesLastRows}
import org.slidewise.spark.plan._

/** Slidewise's own functions. */
private[families] object OwnFunctions extends FunctionFamily {
  private val packages = Seq(classOf[ApproximateAggregate], classOf[MagnitudeExceeds]).map(_.getPackage)

  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f if packages.contains(f.getClass.getPackage) => Own(f)
  }

  final private case class Own(function: Expression) extends FunctionDescription {
    override def merging: Merging = function match {
      case _: ApproximateAggregate => Merging.Approximate
      case _                       => Merging.Exact
    }

    override def summary: Option[SummarizesLastRows] = function match {
      case summarized: SummarizesLastRows => Some(summarized)
      case _                              => None
    }

    // A test of all of them checks that the others do not.
    override def dependsOnOrder: Boolean = function.isInstanceOf[OrderDependent]
  }
}

/** Functions of users and of other libraries, in Java, Scala and Python. */
private[families] object UserFunctions extends FunctionFamily {
  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case python: PythonFuncExpression    => InPython(python.asInstanceOf[Expression], python.name)
    case f if !Descriptions.isOfSpark(f) => OfUser(f)
  }

  final private case class OfUser(function: Expression) extends MergedExactly {
    override def isForeign: Boolean = true

    // An aggregator by its class or the name it was registered with.
    override def name: String = function match {
      case aggregator: ScalaAggregator[_, _, _] => aggregator.name
      case udaf: ScalaUDAF                      => udaf.name
      case typed: TypedAggregateExpression      => typed.aggregator.getClass.getSimpleName.stripSuffix("$")
      case other                                => other.prettyName
    }

    // A user's zero may be null.
    override def mayHaveNullState: Boolean =
      hasNullForNoRows || function.isInstanceOf[ScalaAggregator[_, _, _]]

    // As functions of Hive do.
    override lazy val hasNullForNoRows: Boolean = function match {
      case _: ScalaAggregator[_, _, _]        => false
      case typed: TypedImperativeAggregate[_] => typed.createAggregationBuffer() == null
      case _                                  => false
    }

    override def objectType: Option[String] = function match {
      case aggregator: ScalaAggregator[_, _, _] => Some(aggregator.bufferEncoder.schema.sql)
      case _                                    => None
    }
  }

  final private case class InPython(function: Expression, override val name: String)
      extends FunctionDescription {
    override def merging: Merging = Merging.Impossible

    override def whyNotOverStreams(frame: Frame): Option[String] = Some(
      s"$name runs in Python, and windows over a stream keep no states of Python: use SQL functions, or an Aggregator in Scala " +
        "or Java"
    )

    override def framed(
        filter: Option[Expression],
        frame: Frame
    ): Either[String, FramedFunctions] = Left(
      s"$name runs in Python, which cannot merge partial aggregates: write it as a slidewise.Aggregator"
    )
  }
}

/** The other functions of Spark. Its declarative aggregates merge by expressions. */
private[families] object Others extends FunctionFamily {
  private val known = Descriptions.classes("SchemaOfVariantAgg")

  override def describe: PartialFunction[Expression, FunctionDescription] = { case f => Other(f) }

  final private case class Other(function: Expression) extends FunctionDescription {
    override def merging: Merging = function match {
      case _: DeclarativeAggregate                => Merging.Exact
      case other if known(other.getClass.getName) => Merging.Exact
      case _                                      => Merging.Unknown
    }
  }
}
