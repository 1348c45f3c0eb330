package org.slidewise.spark.execution.streams

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{count, expr, session_window, sum, window}

/** Windows by the keys of an aggregation below: without a shuffle between them, one task has the states of both. */
class StatesOfOneTaskSuite extends StreamSuite {

  private def sessions(rows: DataFrame): DataFrame =
    rows.groupBy(expr("k"), session_window(expr("ts"), "5 seconds").as("w")).agg(sum("n").as("s"))

  private def tumbling(rows: DataFrame): DataFrame =
    rows.groupBy(expr("k"), window(expr("ts"), "5 seconds").as("w")).agg(sum("n").as("s"))

  private def lastTwo(keys: String)(rows: DataFrame): DataFrame = rows.selectExpr(
    "k",
    s"sum(s) OVER (PARTITION BY $keys ORDER BY window_time(w) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS a"
  )

  private def hopping(rows: DataFrame): DataFrame =
    rows
      .groupBy(expr("k"), window(expr("window_time(w)"), "20 seconds", "10 seconds"))
      .agg(count("*").as("a"))
      .select("k", "a")

  for (
    (name, query, operator) <- Seq(
      ("OVER after session windows", sessions _ andThen lastTwo("k"), "slidingWindow"),
      ("OVER after tumbling windows", tumbling _ andThen lastTwo("k, w"), "slidingWindow"),
      ("hopping windows after session windows", sessions _ andThen hopping, "hoppingWindow")
    )
  )
    test(name) {
      val source = events()
      val settings = Seq(
        "spark.sql.streaming.stateStore.providerClass" ->
          "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        "spark.sql.shuffle.partitions" -> "1"
      )
      val found = withSettings(settings: _*) {
        running(query(stream(source))) { started =>
          for (second <- Seq(1, 100, 200)) {
            source.addData(("a", second, 1), ("b", second, 2))
            started.processAllAvailable()
          }
          assert(started.lastProgress.stateOperators.exists(_.operatorName == operator))
        }
      }
      assertEquals(found.map(_.head), Set[Any]("a", "b"))
    }
}
