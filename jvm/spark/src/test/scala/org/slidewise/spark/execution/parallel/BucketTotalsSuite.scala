package org.slidewise.spark.execution.parallel

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingFunctions}

class BucketTotalsSuite extends SparkSuite {

  private def functions(calls: String*): SurroundingFunctions = {
    val columns = calls.map(call => s"$call OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)")
    val query = spark.sql(s"SELECT ${columns.mkString(", ")} FROM range(0, 10, 1, 2)")
    query.queryExecution.sparkPlan.collect { case window: SlidingWindowExec =>
      new SurroundingFunctions(window.plan, window.child.output)
    }.head
  }

  /** A run whose rows are their numbers, in buckets of random sizes, some of them empty. */
  private def run(functions: SurroundingFunctions, random: Random, first: Long): (RunIndex, Long) = {
    val row = UnsafeProjection.create(Seq(BoundReference(0, LongType, nullable = false)))
    val builders = Array.fill(1 + random.nextInt(6))(functions.aggregator())
    val index = new RunIndex.Builder(0)
    var next = first
    builders.foreach { builder =>
      index.add(next - first, UnsafeRow.createFromByteArray(0, 0))
      for (_ <- 0 until random.nextInt(4)) {
        builder.add(row(new GenericInternalRow(Array[Any](next))))
        next += 1
      }
    }
    index.result(next - first, Some(BucketAggregates.of(builders))) -> next
  }

  private def combined(functions: SurroundingFunctions, buckets: Seq[PartialAggregate]): PartialAggregate =
    buckets.foldLeft(functions.merger())(_ add _).result()

  private def assertSame(found: PartialAggregate, expected: PartialAggregate): Unit = {
    assertEquals(found.rows, expected.rows)
    assertEquals(Option(found.states).map(_.toSeq), Option(expected.states).map(_.toSeq))
  }

  test("around a range are all buckets that it does not read, wherever the ranges begin and end") {
    val of = functions("sum(id)", "avg(id)", "min(id)")
    assert(of.unbounded.areSmall)
    for (seed <- 0 until 300) {
      val random = new Random(seed)
      var next = 0L
      val indexes = Array.fill(1 + random.nextInt(4)) {
        val (index, until) = run(of, random, next)
        next = until
        index
      }
      val ranges = Vector.fill(1 + random.nextInt(5)) {
        indexes.zipWithIndex.map { case (index, i) =>
          val first = random.nextInt(index.buckets + 1)
          val end = first + random.nextInt(index.buckets + 1 - first)
          RunPart(i, first, end, Array(first), index.start(first), Array.empty, Array.empty)
        }
      }
      val totals = new BucketTotals(indexes, of)
      def buckets(choose: (Int, Int) => Boolean) =
        for (i <- indexes.indices; b <- 0 until indexes(i).buckets if choose(i, b))
          yield indexes(i).aggregate(b)
      assertSame(totals.all, combined(of, buckets((_, _) => true)))
      totals.around(ranges).zip(ranges).foreach { case (around, parts) =>
        assertSame(around.before, combined(of, buckets((i, b) => b < parts(i).firstBucket)))
        assertSame(around.after, combined(of, buckets((i, b) => b >= parts(i).endBucket)))
      }
    }
  }

  test("functions with large aggregates, or that depend on the order, have none for each bucket") {
    assert(functions("sum(id)", "count(id + 1)").unbounded.areSmall)
    assert(!functions("sum(id)", "first(id)").unbounded.areSmall)
    assert(!functions("approx_count_distinct(id)").unbounded.areSmall)
    assert(!functions("max(cast(id AS string))").unbounded.areSmall)
    assert(!functions("row_number()").unbounded.areSmall, "nothing is aggregated")
  }

  test("a bucket that fails to be aggregated makes the total fail") {
    val of = functions("sum(id)")
    val (index, _) = run(of, new Random(1), 5L)
    val failed =
      RunIndex.ofOneBucket(3L, Some(new BucketAggregates(Array.emptyByteArray, Array(0), failed = true)))
    assert(!of.mustBeOneTask(new BucketTotals(Array(index), of).all))
    assert(of.mustBeOneTask(new BucketTotals(Array(index, failed), of).all))
  }
}
