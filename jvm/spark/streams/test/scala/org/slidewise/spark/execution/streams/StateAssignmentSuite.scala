package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.EnsureRequirements
import org.apache.spark.sql.functions.{expr, lit}

class StateAssignmentSuite extends StreamSuite {

  test("two windows of one query, and an aggregation after them, each get a state and watermarks") {
    val source = events()
    val answers = stream(source)
      .withColumn("two", expr(s"sum(n) $LastTwo"))
      .withColumn("all", expr("count(*) OVER (PARTITION BY n ORDER BY ts ROWS UNBOUNDED PRECEDING)"))
      .withColumn("k", lit("any"))
      .groupBy(expr("window(ts, '10 seconds')"))
      .agg(expr("sum(two)"), expr("max(all)"))
      .drop("window")
    val found = running(answers) { query =>
      source.addData(("a", 1, 1), ("a", 3, 1), ("b", 2, 1))
      query.processAllAvailable()
      source.addData(("a", 100, 1))
      query.processAllAvailable()
      val operators = operatorsOf(query)
      assertEquals(operators.map(_.getStateInfo.operatorId).toSet, Set(1L, 2L))
      assertEquals(operators.flatMap(_.eventTimeWatermarkForEviction), Seq(90000L, 90000L))
      assertEquals(operators.flatMap(_.eventTimeWatermarkForLateEvents).size, 2)
      val progress = query.recentProgress.flatMap(_.stateOperators).map(_.operatorName).toSet
      assertEquals(progress, Set("slidingWindow", "stateStoreSave"))
    }
    assertEquals(found, Set[Seq[Any]](Seq(4L, 3L)))
  }

  test(
    "a plan to which Spark's rules have assigned no state is refused when shuffles are planned, with and without keys"
  ) {
    for (over <- Seq(LastTwo, LastTwo.replace("PARTITION BY k ", ""))) {
      val source = events()
      running(stream(source).withColumn("a", expr(s"sum(n) $over"))) { query =>
        source.addData(("a", 1, 1))
        query.processAllAvailable()
        val unassigned = operatorsOf(query).head.copy(
          stateInfo = None,
          eventTimeWatermarkForLateEvents = None,
          eventTimeWatermarkForEviction = None
        )
        val refused = intercept[StateNotAssigned](EnsureRequirements()(unassigned))
        assertEquals(refused.getCondition, StateNotAssigned.Condition)
        assert(refused.getMessage.contains("assigned no state, watermark for late rows"), refused.getMessage)
        assert(refused.getMessage.contains("the window of a"), refused.getMessage)
      }
    }
  }

  test("a state without watermarks is refused") {
    val source = events()
    running(stream(source).withColumn("a", expr(s"sum(n) $LastTwo"))) { query =>
      source.addData(("a", 1, 1))
      query.processAllAvailable()
      val operator = operatorsOf(query).head.copy(eventTimeWatermarkForEviction = None)
      val refused = intercept[StateNotAssigned](operator.requiredChildDistribution)
      assert(refused.getMessage.contains("assigned no watermark for eviction"), refused.getMessage)
    }
  }

  test("a rule that leaves the probe alone, or takes any operator, assigns nothing") {
    val source = events()
    running(stream(source).withColumn("a", expr(s"sum(n) $LastTwo"))) { query =>
      source.addData(("a", 1, 1))
      query.processAllAvailable()
      val operator = operatorsOf(query).head
      val known = operator.transformDownWithPruning(_.containsPattern(TreePattern.EXCHANGE) || true) {
        case probe if probe.nodeName.startsWith("StreamingDeduplicate") => probe
      }
      assertEquals(known: SparkPlan, operator: SparkPlan)
      val renamed = operator.transformDown { case any: StreamingSlidingWindowExec =>
        any.copy(identity = None)
      }
      assertEquals(renamed.asInstanceOf[StreamingSlidingWindowExec].identity, None)
    }
  }
}
