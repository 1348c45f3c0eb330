package org.slidewise.core.operators

/** maxCount: the number of occurrences of the maximum. */
object MaxCount {
  val ofDoubles: DoubleExtremeCount = new DoubleExtremeCount(true)
  val ofLongs: LongExtremeCount = new LongExtremeCount(true)
}

/** minCount: the number of occurrences of the minimum. */
object MinCount {
  val ofDoubles: DoubleExtremeCount = new DoubleExtremeCount(false)
  val ofLongs: LongExtremeCount = new LongExtremeCount(false)
}
