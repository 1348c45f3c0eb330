package org.slidewise.spark.planning.joins

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.InvokeLike
import org.apache.spark.sql.types._

import org.slidewise.spark.expressions.{ArithmeticErrors, GuardedCondition}
import org.slidewise.spark.plan.{MovedTimestamp, SolvedBound}
import org.slidewise.spark.shims.{CommonExpressions, SparkExpressions}

/**
 * Finds bounds whose evaluation fails for no row. If Spark evaluates two conditions in turn, the second fails only for rows that
 * meet the first. A bound that combines two bounds must therefore not fail.
 */
private[joins] object TotalBound {
  import ExactArithmetic._

  /** The bound in a form that does not fail where it overflows; none if it may fail for another reason. */
  def of(bound: Expression, isLower: Boolean): Option[Expression] = inlined(bound) match {
    case constant if constant.foldable => Try(constant.eval()).toOption.map(_ => constant)
    case sum @ Add(a, b, _) if isWhole(sum.dataType) && neverWraps(sum) =>
      moved(a, b, adds = true, isLower, sum)
    case difference @ Subtract(a, b, _) if isWhole(difference.dataType) && neverWraps(difference) =>
      moved(a, b, adds = false, isLower, difference)
    case solved: SolvedBound =>
      for (a <- of(solved.value, isLower); b <- of(solved.other, isLower))
        yield
          if (solved.scale != 1L) solved.copy(value = a, other = b)
          else SolvedBound.of(a, b, solved.addsOther, solved.constant, isLower, solved.dataType)
    case If(condition, value, none @ Literal(null, _)) if isTotal(condition) =>
      of(value, isLower).map(If(condition, _, none))
    case other if isTotal(other) => Some(other)
    case other                   =>
      for {
        (a, interval) <- SparkExpressions.movedTimestamp(other)
        if isTotal(a) && (interval.foldable || isTotal(interval))
        hasFixedDays = offset(other.asInstanceOf[TimeZoneAwareExpression], a).isDefined
      } yield microsOf(interval, hasFixedDays)
        .fold[Expression](MovedTimestamp(a, other, isLower))(
          SolvedBound.of(a, _, addsOther = true, 0, isLower, a.dataType)
        )
  }

  private def moved(
      a: Expression,
      b: Expression,
      adds: Boolean,
      isLower: Boolean,
      sum: Expression
  ): Option[Expression] =
    for (x <- of(a, isLower); y <- of(b, isLower == adds))
      yield SolvedBound.of(x, y, adds, 0, isLower, sum.dataType)

  /** Whether the expression fails for no row. */
  def isTotal(e: Expression): Boolean = {
    val isSafe = e match {
      case _: Attribute | _: Literal | _: BinaryComparison | _: And | _: Or | _: Not | _: IsNull |
          _: IsNotNull | _: If | _: GuardedCondition | _: SolvedBound =>
        true
      case _: UnixTimestamp | _: ToUnixTimestamp => isTimestamp(e.children.head)
      case _: UnixSeconds | _: UnixMillis | _: UnixMicros | _: DateAdd | _: DateSub | _: DateDiff => true
      case _: Add | _: Subtract if isInteger(e.dataType) => !ArithmeticErrors.mayOccur(e)
      case _: Add | _: Subtract | _: Multiply => e.dataType == DoubleType || e.dataType == FloatType
      case cast: Cast                         => neverFails(cast.child.dataType, cast.dataType)
      case _                                  => false
    }
    isSafe && e.children.forall(isTotal)
  }

  /** Whether the evaluation fails for values that are usual: texts that are no numbers or times, and numbers out of range. */
  def mayFail(e: Expression): Boolean =
    e.exists {
      case replaceable: RuntimeReplaceable => mayFail(CommonExpressions.inlined(replaceable.replacement))
      case cast: Cast                      =>
        val (from, to) = (cast.child.dataType, cast.dataType)
        cast.evalMode == EvalMode.ANSI && to != StringType && !Cast.canUpCast(from, to) && !neverFails(
          from,
          to
        )
      case time: ToTimestamp => time.failOnError && time.left.dataType == StringType
      case divided @ (_: Divide | _: IntegralDivide | _: Remainder | _: Pmod) =>
        ArithmeticErrors.mayOccur(divided)
      case number: BinaryArithmetic =>
        ArithmeticErrors.mayOccur(number) && (isInteger(number.dataType) || isLongest(number.dataType))
      case UnaryMinus(of, fails)                                 => fails && isInteger(of.dataType)
      case Abs(of, fails)                                        => fails && isInteger(of.dataType)
      case item: ElementAt                                       => item.failOnError
      case item: GetArrayItem                                    => item.failOnError
      case date: MakeDate                                        => date.failOnError
      case time: MakeTimestamp                                   => time.failOnError
      case time @ (_: SecondsToTimestamp | _: MillisToTimestamp) => isLong(time.children.head.dataType)
      case _: MultiplyDTInterval | _: MultiplyYMInterval | _: DivideDTInterval | _: DivideYMInterval => true
      case day: NextDay                                             => day.failOnError
      case moved: UTCTimestamp                                      => !moved.children.last.foldable
      case _: UserDefinedExpression | _: InvokeLike | _: RaiseError => true
      case other                                                    => Failing(other.getClass.getSimpleName)
    }

  // Some Spark minors lack some of these classes.
  private val Failing = Set(
    "ToNumber",
    "VariantGet",
    "ParseJson",
    "ParseUrl",
    "UnBase64",
    "MakeInterval",
    "MakeDTInterval",
    "MakeYMInterval",
    "Elt",
    "Conv",
    "Sequence",
    "AssertTrue",
    "JsonToStructs",
    "AesDecrypt"
  )

  private def isLong(dataType: DataType): Boolean = dataType == LongType || dataType.isInstanceOf[DecimalType]

  private def isLongest(dataType: DataType): Boolean = dataType match {
    case decimal: DecimalType => decimal.precision == DecimalType.MAX_PRECISION
    case _                    => false
  }

  private def neverFails(from: DataType, to: DataType): Boolean = (from, to) match {
    case (TimestampType, DateType | LongType) | (TimestampNTZType, DateType) => true
    case (_: NumericType, _: NumericType)                                    => Cast.canUpCast(from, to)
    case _ => isInteger(from) && Cast.canUpCast(from, to)
  }
}
