package org.slidewise.spark.plan

/** The method that evaluates the frames of an aggregate function. `toString` is the name that EXPLAIN shows. */
sealed abstract class EvaluationMethod(override val toString: String) extends Serializable

object EvaluationMethod {

  /**
   * Kernels over arrays, for ranks, values of other rows, and sums, counts, means, extremes and variances of numbers and
   * times. O(1) combines a row.
   */
  case object ArrayKernels extends EvaluationMethod("array-kernels")

  /**
   * A multiset of the frame's values: its distinct values, with the number of rows that hold each. For DISTINCT, percentiles and
   * modes. Each row is added and removed once, at amortised O(1); for modes, and without arrays for percentiles, at O(log u) with
   * u distinct values.
   */
  case object SlidingMultiset extends EvaluationMethod("sliding-multiset")

  /** A reference to one row of the frame, whose value is read in place, or the number of rows. No combine, no buffer. */
  case object RowReferences extends EvaluationMethod("row-references")

  /** Two-Stacks Lite over small aggregation buffers. At most 3 combines a row, 4 with checkpoints. */
  case object TwoStacksLite extends EvaluationMethod("two-stacks-lite")

  /** Two-Stacks Lite over sketches and other large buffers, with checkpoints where not all of them fit into memory. */
  case object TwoStacksLiteSketches extends EvaluationMethod("two-stacks-lite-sketches")

  /**
   * One aggregation buffer that rows are only added to, for frames that only grow and whole partitions. One combine
   * a row.
   */
  case object Running extends EvaluationMethod("running")

  /** Two-Stacks Lite over buffers of an aggregator in Python, in a Python worker. At most 4 calls of Python a row. */
  case object PythonTwoStacks extends EvaluationMethod("python-two-stacks-lite")

  /** Scans over arrays of buffers of an aggregator in Python, in a Python worker. About 5 merges a row, many rows a call. */
  case object PythonArrays extends EvaluationMethod("python-arrays")

  /** A summary of the last rows within an error bound. No row is kept. */
  case object AdditiveSummaries extends EvaluationMethod("additive-summaries")

  /** Computes each frame from its rows, as Spark does. The cost of a row grows with the frame. */
  case object Recalculation extends EvaluationMethod("recalculation")
}
