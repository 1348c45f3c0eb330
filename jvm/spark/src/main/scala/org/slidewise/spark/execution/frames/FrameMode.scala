package org.slidewise.spark.execution.frames

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.core.multisets.{ModeTournament, TieOrder}
import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.expressions.GroupingKeys
import org.slidewise.spark.plan.RowMultiset

/**
 * `mode`. Of several most frequent values, the result is the smallest, or the greatest. At most O(log u) comparisons for a row,
 * with u distinct values.
 */
final private class FrameMode(
    mode: RowMultiset.Mode,
    filter: Option[Expression],
    input: Seq[Attribute],
    memory: HeapMemory
) extends FrameTuples(new RowTuple(Seq(FrameMode.counted(mode)), filter, input, skipsNulls = true), memory) {
  private[this] val dataType = mode.value.dataType
  private[this] val byCode = ArrayBuffer.empty[Element]
  private[this] val tournament = new ModeTournament
  private[this] val ties = {
    val ordering = InterpretedOrdering.forSchema(Seq(dataType))
    val sign = if (mode.greatest) -1 else 1
    new TieOrder {
      override def precedes(a: Int, b: Int): Boolean = {
        val order = sign * ordering.compare(byCode(a).values, byCode(b).values)
        order < 0 || order == 0 && a < b // -0.0 and 0.0 tie, even if counted apart
      }
    }
  }
  tournament.reset(0, ties)

  override protected def added(element: Element): Unit = {
    while (byCode.size <= element.code) byCode += null
    byCode(element.code) = element
    tournament.add(element.code)
  }

  override protected def removed(element: Element): Unit = tournament.remove(element.code)

  override def result: Any = {
    val code = tournament.winner
    if (code < 0) null else byCode(code).values.get(0, dataType)
  }

  override def clear(): Unit = {
    super.clear()
    byCode.clear()
    tournament.reset(0, ties)
  }
}

private object FrameMode {

  /** The counted expression. Normalizes zeros if Spark counts 0.0 and -0.0 as one value. */
  private def counted(mode: RowMultiset.Mode): Expression =
    if (mode.joinsZeros) GroupingKeys.normalized(mode.value) else mode.value
}
