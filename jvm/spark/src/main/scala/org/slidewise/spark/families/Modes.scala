package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.{Expression, RowOrdering}
import org.apache.spark.sql.catalyst.expressions.aggregate.Mode

import org.slidewise.spark.expressions.{DistinctRows, SparkProbes}
import org.slidewise.spark.plan._
import org.slidewise.spark.shims.ModeTies

/** `mode`. */
private[families] object Modes extends FunctionFamily {
  import ArrayInputs._

  override def describe: PartialFunction[Expression, FunctionDescription] = { case mode: Mode =>
    MostFrequent(mode)
  }

  final private case class MostFrequent(function: Mode) extends InMultisets {
    private def child = function.child

    override def merging: Merging = Merging.HoldsRows

    // Strings that a collation makes equal may differ in their bytes. A multiset knows the first of them, but not which of them
    // remain once the first leaves the frame.
    override def multiset: Option[RowMultiset] =
      if (RowOrdering.isOrderable(child.dataType) && DistinctRows.hasEqualBytes(child.dataType))
        Some(RowMultiset.Mode(child, ModeTies.takesGreatest(function), SparkProbes.modeJoinsZeros))
      else None

    override protected def kernel(filter: Option[Expression]): Option[(MultisetFunction, Expression)] = {
      def kernel = MultisetFunction.Mode(ModeTies.takesGreatest(function), SparkProbes.modeJoinsZeros)
      if (isFloating(child)) Some((kernel, filtered(double(child), filter)))
      else if (isWhole(child.dataType)) Some((kernel, filtered(long(child), filter)))
      else None
    }
  }
}
