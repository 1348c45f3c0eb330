package org.slidewise.spark

import org.apache.spark.sql.execution.SparkStrategy

import org.slidewise.spark.planning._
import org.slidewise.spark.planning.hopping.HoppingWindowStrategy
import org.slidewise.spark.planning.joins.WindowJoinStrategy
import org.slidewise.spark.planning.parallel._

/** The strategies and rules that plan windows over tables: those of `planning`, joined with those of `planning.parallel`. */
private[spark] object PlanningRules {

  val windows: SparkStrategy = new SlidingWindowStrategy(ParallelPlanner)

  val strategies: Seq[SparkStrategy] = Seq(
    PartitionUses,
    windows,
    PythonWindowStrategy,
    PythonAggregateStrategy,
    TopRowsStrategy,
    new WindowJoinStrategy(ParallelPlanner),
    HoppingWindowStrategy
  )

  val preparation: PreparationRules = new PreparationRules(
    Seq(TopRowsInOrder, PartitionOrder, TablesReadTwice, ExpectedSkew, BlockExchanges, SharedRuns)
  )
}
