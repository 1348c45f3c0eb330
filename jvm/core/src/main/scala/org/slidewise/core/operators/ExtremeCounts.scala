package org.slidewise.core.operators

/** maxCount: how often the maximum occurs. */
object MaxCount {
  val ofDoubles: DoubleExtremeCount = new DoubleExtremeCount(true)
  val ofLongs: LongExtremeCount = new LongExtremeCount(true)
}

/** minCount: how often the minimum occurs. */
object MinCount {
  val ofDoubles: DoubleExtremeCount = new DoubleExtremeCount(false)
  val ofLongs: LongExtremeCount = new LongExtremeCount(false)
}
