package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, First, Last}
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.task.Tasks
import org.slidewise.spark.expressions.NthOfFrame
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{AggregateCall, EvaluationMethod, Frame, FramePlan, PlannedAggregate}

/** Answers that point into rows of a log, which is spilled and released while they are read. */
class ReferenceEvaluatorSuite extends SparkSuite {
  import ReferenceEvaluatorSuite._

  test("answers are those of the rows at their places, whatever has been spilled or released") {
    val (wrong, spilled, pointing) = inTask { () =>
      val resources = Tasks.resources()
      val log = RowLog.of(input, resources)
      val bounds = new RowsFinder(Some(-5000), Some(-2))
      val answers = new SpecificInternalRow(functions.map(_.dataType))
      val planned = functions.zipWithIndex.map { case (f, i) =>
        PlannedAggregate(AggregateCall(Families.of(f), None), i)
      }
      val evaluator = new ReferenceEvaluator(
        FramePlan(Frame.Current, EvaluationMethod.RowReferences, planned),
        bounds,
        new FrameElements(input, () => log.reader()),
        answers
      )
      val project = UnsafeProjection.create(input.map(_.dataType).toArray)
      val wrong = (0L until 20000L).count { n =>
        log.append(project(InternalRow(UTF8String.fromString(textOf(n)), n)))
        bounds.advance(n, null, n + 1, complete = false)
        evaluator.evaluate()
        if (n % 100 == 0) log.spill(Long.MaxValue, null)
        val found = functions.indices.map { i =>
          if (answers.isNullAt(i)) null
          else
            functions(i).dataType match {
              case StringType => answers.getUTF8String(i).toString
              case _          => answers.getLong(i)
            }
        }
        if (n % 1000 == 0) log.release(evaluator.oldestNeeded)
        found != expected(bounds.lo, bounds.hi)
      }
      evaluator.reset()
      val pointing = functions.indices.init.filterNot(answers.isNullAt)
      val spilled = log.spilledBytes
      log.close()
      (wrong, spilled, pointing)
    }
    assertEquals(wrong, 0)
    assert(spilled > 0L)
    assert(pointing.isEmpty, "answers point into rows of the last partition")
  }
}

private object ReferenceEvaluatorSuite {
  private val text = AttributeReference("text", StringType)()
  private val number = AttributeReference("number", LongType)()
  private val input = Seq(text, number)
  private val functions = Seq(
    First(text, ignoreNulls = false),
    Last(text, ignoreNulls = false),
    First(number, ignoreNulls = false),
    NthOfFrame(text, 3, fromEnd = false, ignoreNulls = false),
    NthOfFrame(text, 2, fromEnd = true, ignoreNulls = false),
    Count(Literal(1))
  )

  private def textOf(n: Long): String = if (n % 7 == 0) null else s"text $n" * (1 + n.toInt % 9)

  private def expected(lo: Long, hi: Long): Seq[Any] = {
    def at(position: Long): Any = if (position < lo || position >= hi) null else textOf(position)
    Seq(at(lo), at(hi - 1), if (lo < hi) lo else null, at(lo + 2), at(hi - 2), hi - lo)
  }
}
