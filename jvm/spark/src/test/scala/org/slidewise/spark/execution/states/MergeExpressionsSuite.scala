package org.slidewise.spark.execution.states

import munit.FunSuite
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.{DataType, DoubleType}

import org.slidewise.spark.families.Families

class MergeExpressionsSuite extends FunSuite {
  import MergeExpressionsSuite._

  private val x = AttributeReference("x", DoubleType)()
  private val y = AttributeReference("y", DoubleType)()

  private val moments: Seq[DeclarativeAggregate] = Seq(
    VariancePop(x),
    VarianceSamp(x),
    StddevPop(x),
    StddevSamp(x),
    Skewness(x),
    Kurtosis(x),
    RegrReplacement(x),
    CovPopulation(x, y),
    CovSample(x, y),
    Corr(x, y),
    RegrR2(x, y),
    RegrSlope(x, y),
    RegrIntercept(x, y)
  )

  for (function <- moments)
    test(s"${function.getClass.getSimpleName}: a state of no rows leaves the other as it is") {
      val names = function.aggBufferAttributes.map(_.name)
      assertEquals(Families.of(function).momentCounts, names.indices.filter(names(_) == "n"))

      val empty = function.initialValues.map(_.eval())
      // A mean that a step from zero would round.
      val one = names.map(name => if (name == "n") 3.0 else 0.1 + 0.2)
      assertEquals(merged(function, one, empty), one)
      assertEquals(merged(function, empty, one), one)
    }

  test("other aggregates are merged as they say, a count called n or not") {
    for (function <- Seq(CountFromOne(x), Sum(x)))
      assertEquals(MergeExpressions.of(Families.of(function)), function.mergeExpressions)
  }

  private def merged(function: DeclarativeAggregate, older: Seq[Any], newer: Seq[Any]): Seq[Any] = {
    val states = function.aggBufferAttributes ++ function.inputAggBufferAttributes
    val merge =
      MergeExpressions.of(Families.of(function)).map(BindReferences.bindReference(_, states))
    val row = new GenericInternalRow((older ++ newer).toArray[Any])
    merge.map(_.eval(row))
  }
}

object MergeExpressionsSuite {

  /** An aggregate whose buffer is called as that of Spark's moments, and in which zero does not mean empty. */
  final private case class CountFromOne(child: Expression)
      extends DeclarativeAggregate
      with org.apache.spark.sql.catalyst.trees.UnaryLike[Expression] {
    private lazy val n = AttributeReference("n", DoubleType, nullable = false)()
    override def aggBufferAttributes: Seq[AttributeReference] = Seq(n)
    override lazy val initialValues: Seq[Expression] = Seq(Literal(1.0))
    override lazy val updateExpressions: Seq[Expression] = Seq(Multiply(n, child))
    override lazy val mergeExpressions: Seq[Expression] = Seq(Multiply(n.left, n.right))
    override lazy val evaluateExpression: Expression = n
    override def nullable: Boolean = true
    override def dataType: DataType = DoubleType
    override protected def withNewChildInternal(newChild: Expression): CountFromOne = copy(child = newChild)
  }
}
