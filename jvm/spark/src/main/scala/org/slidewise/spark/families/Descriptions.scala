package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.types._

import org.slidewise.spark.plan._
import org.slidewise.spark.shims.SparkCollations

/** A function whose partial aggregates merge to the result of all rows. */
private[families] trait MergedExactly extends FunctionDescription {
  override def merging: Merging = Merging.Exact
}

/**
 * The kernel over arrays that evaluates a function, with its input.
 *
 * @param input
 *   the column, as in [[ArrayFunction.Aggregate]]
 */
final private[families] case class KernelCall(kernel: ArrayKernel, input: Expression, atLeast: Int)

private[families] trait InKernels extends FunctionDescription {

  /** The kernel with its input; none if no kernel takes values of this type. */
  protected def kernel: Option[KernelCall]

  override def inArrays(filter: Option[Expression], frame: => Option[Frame]): Option[ArrayFunction] =
    for {
      over <- frame
      KernelCall(kernel, input, atLeast) <- kernel
      if input.deterministic && filter.forall(_.deterministic)
    } yield ArrayFunction.Aggregate(kernel, ArrayInputs.filtered(input, filter), atLeast, over)
}

/** A function of the distinct values of a frame. */
private[families] trait InMultisets extends FunctionDescription {

  /** The kernel and its input; none if no kernel takes values of this type. */
  protected def kernel(filter: Option[Expression]): Option[(MultisetFunction, Expression)]

  /** Spark goes over all values of a frame for each result. A whole partition has one result. */
  final override def isConstantInSpark(frame: Frame): Boolean = frame == Frame.Partition

  override def inArrays(filter: Option[Expression], frame: => Option[Frame]): Option[ArrayFunction] =
    for {
      over <- frame
      if function.deterministic && filter.forall(_.deterministic)
      (kernel, input) <- kernel(filter)
    } yield ArrayFunction.OfMultiset(kernel, input, function.dataType, over)
}

private[families] object Descriptions {

  private val SparkPackage = "org.apache.spark.sql.catalyst."

  /** Whether the function is one of Spark's own. */
  def isOfSpark(function: Expression): Boolean = function.getClass.getName.startsWith(SparkPackage)

  /**
   * The full names of Spark's expression classes `names`. Names are used because not every Spark that Slidewise supports has
   * these classes.
   */
  def classes(names: String*): Set[String] =
    names.flatMap { name =>
      Seq("", "aggregate.", "variant.").map(part => s"${SparkPackage}expressions.$part$name")
    }.toSet

  /** The guard that finds frames in which the magnitudes of `values` add up to `limit` or more. */
  def guard(values: Expression, limit: Double): Option[FunctionDescription] =
    Some(Families.of(MagnitudeExceeds(values, limit)))

  /** The degree to which a sum depends on the order of its rows. */
  def ofSums(function: AggregateFunction): OrderSensitivity =
    if (buffers(function).forall(isExact)) OrderSensitivity.NONE else OrderSensitivity.DIGITS

  def buffers(function: AggregateFunction): Seq[DataType] = function.aggBufferAttributes.map(_.dataType)

  /** Whether equal values have equal bits, and sums do not depend on the order. */
  def isExact(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType             => false
    case text: StringType                   => SparkCollations.isBinaryStable(text)
    case ArrayType(element, _)              => isExact(element)
    case StructType(fields)                 => fields.forall(field => isExact(field.dataType))
    case _: MapType | _: UserDefinedType[_] => false
    case _                                  => true
  }
}
