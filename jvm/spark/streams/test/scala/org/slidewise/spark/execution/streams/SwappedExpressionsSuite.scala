package org.slidewise.spark.execution.streams

import scala.collection.immutable.ArraySeq

import org.apache.spark.sql.functions.expr

/** A checkpoint is continued by the same window with its expressions in another order. */
class SwappedExpressionsSuite extends StreamSuite {
  private val LastThree = LastTwo.replace("1 PRECEDING", "2 PRECEDING")

  // Columns `_w0` and so on, and those of the input, come in another order, too.
  private val expressions = Seq(
    "a" -> s"sum(n * 2) $LastTwo",
    "b" -> s"max(k || 'x') $LastTwo",
    "c" -> s"sum(n + 100) $LastTwo",
    "d" -> s"collect_list(n) $LastThree",
    "e" -> s"lag(n, 2) OVER (PARTITION BY k ORDER BY ts)"
  )
  private val names = expressions.map(_._1)

  test("in each order the answers are those of one run") {
    val (source, checkpoint) = (events(), temporary())
    var all = Set.empty[Seq[Any]]
    val orders = Seq(expressions, expressions.reverse, expressions.tail :+ expressions.head)
    for ((order, run) <- orders.zipWithIndex) {
      val answers = stream(source).select(expr("*") +: order.map { case (name, sql) =>
        expr(sql).as(name)
      }: _*)
      all ++= running(answers.select("k", "ts" +: "n" +: names: _*), checkpoint) { query =>
        // The watermark begins at second 0, where a row would be late.
        for (second <- run * 40 until (run + 1) * 40) {
          source.addData(("a", second + 1, second), ("b", second + 1, -second))
          if (second % 20 == 19) query.processAllAvailable()
        }
      }
    }
    val expected = for {
      (key, sign) <- Seq("a" -> 1, "b" -> -1)
      second <- 0 to 109
    } yield {
      val last = (math.max(0, second - 2) to second).map(_ * sign)
      val two = last.takeRight(2)
      Seq(
        key,
        second,
        second * sign,
        two.map(_ * 2L).sum,
        s"${key}x",
        two.map(_ + 100L).sum,
        last.toList,
        if (second < 2) null else (second - 2) * sign
      )
    }
    val found = all.map { row =>
      row.updated(1, (row(1).asInstanceOf[java.sql.Timestamp].getTime / 1000).toInt - 1).map {
        case list: ArraySeq[_] => list.toList
        case value             => value
      }
    }
    assertEquals(expected.toSet[Seq[Any]] -- found, Set.empty[Seq[Any]])
    assertEquals(found, expected.toSet[Seq[Any]])
  }
}
