package org.slidewise.core.kernels

import scala.util.Try

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class GroupKernelsSuite extends KernelSuite {
  private val Groups = 5

  private def grouped[A](columns: Gen[Column[A]]): Gen[(Column[A], Array[Int])] = for {
    column <- columns
    groups <- Gen.listOfN(column.size, Gen.frequency(4 -> Gen.const(1), 4 -> Gen.choose(0, Groups - 2)))
  } yield (column, groups.toArray)

  private def of[A](column: Column[A], groups: Array[Int], group: Int): Vector[A] =
    column.cells.indices.toVector.filter(groups(_) == group).flatMap(column.cells(_))

  private def bitsOf(column: Column[Double]): Array[Long] = column.cells.map(_.fold(-1L)(bits)).toArray
  private def longsOf(column: Column[Long]): Array[Long] = column.cells.map(_.getOrElse(77L)).toArray

  private val close: (Double, Double) => Boolean = (a, b) =>
    bits(a) == bits(b) || math.abs(a - b) <= 1e-9 * math.max(1.0, math.abs(b))

  /** Checks each group with a value, for both ways to say that no row is null. */
  private def checkDoubles(naive: Seq[Double] => Option[Double])(
      kernel: (Array[Int], Array[Long], Array[Long], Int, Array[Double]) => Unit
  ) =
    forAll(grouped(Columns.doubles)) { case (column, groups) =>
      for (sayAllValid <- Seq(true, false)) {
        val out = Array.fill(Groups)(-77.0)
        kernel(groups, bitsOf(column), column.valid(sayAllValid), column.size, out)
        for (group <- 0 until Groups; expected <- naive(of(column, groups, group)))
          assert(close(out(group), expected), s"group $group: ${out(group)}, not $expected")
      }
    }

  property("sums of doubles")(checkDoubles(Naive.sum)(GroupKernels.sums))
  property("greatest doubles")(checkDoubles(Naive.max)(GroupKernels.greatest))
  property("least doubles")(checkDoubles(Naive.min)(GroupKernels.least))

  for (lost <- Seq(0, 1))
    property(s"variances, $lost degrees of freedom lost") {
      checkDoubles(values => Naive.variance(lost)(values)) { (groups, bits, valid, size, out) =>
        val counts = Array.fill(Groups)(-1)
        val means = Array.fill(Groups)(-1.0)
        GroupKernels.variances(groups, bits, valid, size, lost, counts, means, out)
        assert(counts.indices.forall(group => counts(group) > lost || out(group).isNaN))
      }
    }

  property("counts") {
    forAll(grouped(Columns.longs)) { case (column, groups) =>
      for (sayAllValid <- Seq(true, false)) {
        val out = Array.fill(Groups)(-77)
        GroupKernels.counts(groups, column.valid(sayAllValid), column.size, out)
        assertEquals(out.toSeq, (0 until Groups).map(of(column, groups, _).size))
      }
    }
  }

  property("sums of longs, and whether one of their additions overflows") {
    forAll(grouped(Columns.longs)) { case (column, groups) =>
      for (sayAllValid <- Seq(true, false)) {
        val out = Array.fill(Groups)(-77L)
        val exact =
          GroupKernels.sums(groups, longsOf(column), column.valid(sayAllValid), column.size, out)
        val each = (0 until Groups).map(of(column, groups, _))
        assertEquals(out.toSeq, each.map(_.sum))
        assertEquals(exact, each.forall(values => Try(values.foldLeft(0L)(Math.addExact)).isSuccess))
      }
    }
  }

  property("greatest and least longs") {
    forAll(grouped(Columns.longs)) { case (column, groups) =>
      for (sayAllValid <- Seq(true, false)) {
        val (greatest, least) = (new Array[Long](Groups), new Array[Long](Groups))
        val valid = column.valid(sayAllValid)
        GroupKernels.greatest(groups, longsOf(column), valid, column.size, greatest)
        GroupKernels.least(groups, longsOf(column), valid, column.size, least)
        for (group <- 0 until Groups) {
          val values = of(column, groups, group)
          assertEquals(greatest(group), values.fold(Long.MinValue)(math.max))
          assertEquals(least(group), values.fold(Long.MaxValue)(math.min))
        }
      }
    }
  }
}
