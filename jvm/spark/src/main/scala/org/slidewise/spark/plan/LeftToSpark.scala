package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * A subquery or a join over a range of another table's rows that Spark evaluates.
 *
 * @param sql
 *   the subquery or the join, for a person to read
 * @param reason
 *   the reason, for a person to read
 */
final case class LeftToSpark(sql: String, reason: String)

object LeftToSpark {

  /** The parts of a logical node that Spark evaluates. */
  val Tag: TreeNodeTag[Seq[LeftToSpark]] = TreeNodeTag[Seq[LeftToSpark]]("slidewise.leftToSpark")
}
