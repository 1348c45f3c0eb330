package org.slidewise.spark.execution.streams

import org.apache.spark.sql.{functions, Encoders}

import org.slidewise.spark.{FailingMerge, Longest}
import org.slidewise.spark.config.SlidewiseSettings

/** Users' aggregators whose `merge` fails or whose buffers are null, over streams. */
class UserMergeSuite extends StreamSuite {

  private def answers(frame: String): Set[Seq[Any]] = {
    spark.udf.register("failing_merge", functions.udaf(FailingMerge, Encoders.scalaLong))
    val source = events()
    val over = s"OVER (PARTITION BY k ORDER BY ts $frame)"
    running(stream(source).selectExpr("k", "n", s"failing_merge(n) $over AS s")) { query =>
      for (batch <- 0 until 3) {
        for (second <- batch * 20 until (batch + 1) * 20) source.addData(("a", second + 11, second))
        query.processAllAvailable()
      }
      source.addData(("a", 1000, 0)) // lets all the others leave
      query.processAllAvailable()
    }
  }

  private def sums(rows: Int): Set[Seq[Any]] =
    (0 until 60).map(n => Seq[Any]("a", n, (math.max(0, n - rows + 1) to n).map(_.toLong).sum)).toSet

  test("a moving frame is recalculated where merge fails, from batch to batch") {
    assertEquals(sums(10) -- answers("ROWS 9 PRECEDING"), Set.empty[Seq[Any]])
  }

  for (frame <- Seq("ROWS UNBOUNDED PRECEDING", "ROWS 40 PRECEDING"))
    test(s"a buffer may be null from batch to batch, $frame") {
      spark.udf.register("longest", functions.udaf(Longest, Encoders.STRING))
      val source = events()
      val text = "CASE WHEN n >= 15 THEN repeat('x', n) END"
      val asked = s"longest($text) OVER (PARTITION BY k ORDER BY ts $frame)"
      val found = running(stream(source).selectExpr("n", s"length($asked) AS l")) { query =>
        for (second <- 0 until 20) {
          source.addData(("a", second + 11, second))
          if (second % 5 == 4) query.processAllAvailable()
        }
        source.addData(("a", 1000, 0))
        query.processAllAvailable()
      }
      val expected = (0 until 20).map(n => Seq[Any](n, if (n < 15) null else n)).toSet
      assertEquals(expected -- found, Set.empty[Seq[Any]])
    }

  for (
    (key, value) <- Seq(SlidewiseSettings.NeverMerge -> "failing_merge", SlidewiseSettings.NeverMerge -> "")
  )
    test(s"a growing frame never merges, with $key = '$value'") {
      withSettings(key -> value) {
        assertEquals(sums(60) -- answers("ROWS UNBOUNDED PRECEDING"), Set.empty[Seq[Any]])
      }
    }
}
