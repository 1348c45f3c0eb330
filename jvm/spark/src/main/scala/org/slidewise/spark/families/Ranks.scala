package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Count}
import org.apache.spark.sql.types._

import org.slidewise.spark.plan._

/** Ranks of a row in its partition. */
private[families] object Ranks extends FunctionFamily {
  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f: RowNumber               => Ranked(f, RankKind.RowNumber)
    case f: Rank                    => Ranked(f, RankKind.Rank)
    case f: DenseRank               => Ranked(f, RankKind.DenseRank)
    case f: PercentRank             => Ranked(f, RankKind.PercentRank)
    case f: CumeDist                => Ranked(f, RankKind.CumeDist)
    case f: NTile                   => Ranked(f, RankKind.Tile(f.buckets.eval().asInstanceOf[Int]))
    case f: AggregateWindowFunction => UnknownRank(f)
  }

  final private case class Ranked(function: AggregateWindowFunction, kind: RankKind)
      extends FunctionDescription {
    override def rank: Option[RankKind] = Some(kind)
    override def merging: Merging = Merging.Impossible
    override def isConstantInSpark(frame: Frame): Boolean = true
    override def whyNotOverStreams(frame: Frame): Option[String] = needsSize(function)

    override def inArrays(filter: Option[Expression], frame: => Option[Frame]): Option[ArrayFunction] =
      Some(ArrayFunction.Rank(kind))

    override def framed(
        filter: Option[Expression],
        frame: Frame
    ): Either[String, FramedFunctions] = kind match {
      case RankKind.PercentRank   => Right(percentRank(function.children))
      case RankKind.CumeDist      => Right(cumeDist)
      case RankKind.Tile(buckets) => Right(tile(Literal(buckets)))
      case _                      => super.framed(filter, frame)
    }

    override def readsPartition: Boolean = function.isInstanceOf[SizeBasedWindowFunction]

    override def reach(frame: Frame): FrameReach =
      FrameReach.Row.copy(readsPeers = kind.joinsPeers, isUnbounded = true)
  }

  final private case class UnknownRank(function: AggregateWindowFunction) extends FunctionDescription {
    override def merging: Merging = Merging.Impossible
    override def whyNotOverStreams(frame: Frame): Option[String] = needsSize(function)

    override def framed(
        filter: Option[Expression],
        frame: Frame
    ): Either[String, FramedFunctions] = function match {
      case _: SizeBasedWindowFunction => Left(s"Slidewise does not know $name")
      case _                          => super.framed(filter, frame)
    }

    override def readsPartition: Boolean = true

    override def reach(frame: Frame): FrameReach =
      FrameReach.Row.copy(readsPeers = true, isUnbounded = true)
  }

  private def needsSize(function: AggregateWindowFunction): Option[String] = function match {
    case sized: SizeBasedWindowFunction =>
      Some(
        s"${sized.prettyName} needs the number of rows of its whole partition, and a stream has no end: write the stream to a " +
          "table and evaluate the function there, or use rank() and count(*) over the rows so far"
      )
    case _ => None
  }

  private def over(frame: Frame, function: AggregateFunction) =
    FramedFunction(function, None, frame)

  private def rowsOfPartition = over(Frame.Partition, Count(Literal(1)))

  private def percentRank(order: Seq[Expression]) =
    FramedFunctions(
      Seq(over(Frame.Growing, Rank(order)), rowsOfPartition),
      answers => {
        val before = Subtract(answers.head, Literal(1))
        val others = Subtract(answers(1), Literal(1L))
        If(
          GreaterThan(others, Literal(0L)),
          Divide(Cast(before, DoubleType), Cast(others, DoubleType)),
          Literal(0.0)
        )
      }
    )

  private def cumeDist =
    FramedFunctions(
      Seq(over(Frame.Range(Frame.Unbounded, Frame.Peers), Count(Literal(1))), rowsOfPartition),
      answers => Divide(Cast(answers.head, DoubleType), Cast(answers(1), DoubleType))
    )

  /** The first buckets have a row more than the others, if the rows cannot be divided evenly. */
  private def tile(buckets: Expression) =
    FramedFunctions(
      Seq(over(Frame.Growing, RowNumber()), rowsOfPartition),
      answers => {
        val before = Subtract(Cast(answers.head, LongType), Literal(1L))
        val count = Cast(buckets, LongType)
        val least = IntegralDivide(answers(1), count)
        val larger = Remainder(answers(1), count)
        val inLarger = Multiply(larger, Add(least, Literal(1L)))
        val bucket = If(
          LessThan(before, inLarger),
          IntegralDivide(before, Add(least, Literal(1L))),
          Add(larger, IntegralDivide(Subtract(before, inLarger), least))
        )
        Cast(Add(bucket, Literal(1L)), IntegerType)
      }
    )
}
