package org.slidewise.spark.expressions

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Average, Count, Sum}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.DataType

/**
 * The value of an aggregate function over copies of the current row. Cost: one update of the aggregate for each copy.
 *
 * @param function
 *   the function, over `input`. It is no child, since Spark's rules allow aggregate functions in their own operators only
 * @param input
 *   the columns that the function reads
 * @param values
 *   the values of `input`, over the current row
 * @param copies
 *   the number of copies
 */
final case class AggregateOfCopies(
    function: AggregateFunction,
    input: Seq[Attribute],
    values: Seq[Expression],
    copies: Expression
) extends Expression
    with CodegenFallback {
  import AggregateOfCopies.CheckEvery

  @transient private lazy val evaluated = new FunctionOverRows(function, input)

  override def children: Seq[Expression] = values :+ copies
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = true
  override def stateful: Boolean = true
  override def sql: String = s"${function.sql(isDistinct = false)} of ${copies.sql} rows"
  override def toString: String = s"$function of $copies rows"

  override def eval(row: InternalRow): Any = {
    val copied = InternalRow.fromSeq(values.map(_.eval(row)))
    val number = copies.eval(row).asInstanceOf[Long]
    evaluated(new Iterable[InternalRow] {
      override def iterator: Iterator[InternalRow] = new Iterator[InternalRow] {
        private[this] var left = number
        override def hasNext: Boolean = left > 0
        override def next(): InternalRow = {
          if (left % CheckEvery == 0) AggregateOfCopies.stopIfCancelled()
          left -= 1
          copied
        }
      }
    })
  }

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): AggregateOfCopies =
    copy(values = children.init, copies = children.last)
}

private[spark] object AggregateOfCopies {
  private val CheckEvery = 1L << 16

  private def stopIfCancelled(): Unit =
    if (Option(TaskContext.get()).exists(_.isInterrupted()))
      throw new TaskKilledException("cancelled while an aggregate reads the copies of a row")

  /** Whether the value stays the same if 0.0 replaces -0.0 in the columns that the function reads. */
  def ignoresSignOfZero(function: AggregateFunction): Boolean = function match {
    case _: Sum | _: Average | _: Count => function.children.forall(_.isInstanceOf[Attribute])
    case _                              => false
  }
}
