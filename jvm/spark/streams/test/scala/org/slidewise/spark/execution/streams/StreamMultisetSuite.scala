package org.slidewise.spark.execution.streams

import org.apache.spark.sql.streaming.StreamingQuery

import org.slidewise.spark.plan.EvaluationMethod

/** DISTINCT, percentiles and modes over streams. */
class StreamMultisetSuite extends StreamSuite {
  private val Batches = 4
  private val RowsABatch = 100
  private val numbers = (0 until Batches * RowsABatch).map(i => i * i % 17)

  /** The results of `calls`; the query stops once and begins again. After each batch, `look` is given the query. */
  private def answers(calls: Seq[String], frame: String)(look: StreamingQuery => Unit): Set[Seq[Any]] = {
    val source = events()
    val columns = calls.map(call => s"$call OVER (PARTITION BY k ORDER BY ts $frame)")
    val answers = stream(source).selectExpr("unix_timestamp(ts) - 11 AS i" +: columns: _*)
    val checkpoint = temporary()
    (0 until Batches)
      .grouped(Batches / 2)
      .map { batches =>
        running(answers, checkpoint) { query =>
          for (batch <- batches) {
            for (i <- batch * RowsABatch until (batch + 1) * RowsABatch)
              source.addData(("a", i + 11, numbers(i)))
            query.processAllAvailable()
            look(query)
          }
          if (batches.last == Batches - 1) {
            source.addData(("a", 10000, 0)) // lets all the others leave
            query.processAllAvailable()
          }
        }
      }
      .reduce(_ ++ _)
  }

  private def combinesOf(query: StreamingQuery): Long =
    query.recentProgress.flatMap(_.stateOperators).map(_.customMetrics.get("combines").longValue).sum

  private def median(sorted: Seq[Int]): Double =
    (sorted((sorted.size - 1) / 2) + sorted(sorted.size / 2)) / 2.0

  test("each row of a moving frame is added and removed once, and the first frame of a batch is read again") {
    val length = 50
    val calls = Seq("count(DISTINCT n)", "median(n)", "percentile_disc(0.5) WITHIN GROUP (ORDER BY n)")
    var combines = Map.empty[java.util.UUID, Long]
    val found = answers(calls, s"ROWS ${length - 1} PRECEDING") { query =>
      assertEquals(operatorsOf(query).flatMap(_.plan.methods).distinct, Seq(EvaluationMethod.SlidingMultiset))
      combines += query.runId -> combinesOf(query)
    }
    val expected = numbers.indices.map { i =>
      val sorted = numbers.slice(math.max(0, i - length + 1), i + 1).sorted
      Seq[Any](
        i.toLong,
        sorted.distinct.size.toLong,
        median(sorted),
        sorted((sorted.size + 1) / 2 - 1).toDouble
      )
    }
    assertEquals(expected.toSet -- found, Set.empty[Seq[Any]])
    val most = calls.size * (2L * numbers.size + Batches * length)
    assert(combines.values.sum > 0 && combines.values.sum <= most, s"$combines combines, and $most at most")
  }

  test("of a growing frame the state keeps the distinct values and no rows") {
    var sizes = Seq.empty[Long]
    val found = answers(Seq("count(DISTINCT n)"), "ROWS UNBOUNDED PRECEDING") { query =>
      assertEquals(operatorsOf(query).flatMap(_.plan.methods), Seq(EvaluationMethod.Running))
      sizes :+= query.lastProgress.stateOperators.map(_.numRowsTotal).sum
    }
    val expected = numbers.indices.map(i => Seq[Any](i.toLong, numbers.take(i + 1).distinct.size.toLong))
    assertEquals(expected.toSet -- found, Set.empty[Seq[Any]])
    assertEquals(sizes.size, Batches)
    assert(sizes.last <= sizes.head, s"$sizes entries")
  }
}
