package org.apache.spark

import org.apache.spark.shuffle.FetchFailedException

/** A failure in which all shuffles of an executor are lost. Spark keeps its class to its own packages. */
object LostShuffle {
  def failure(): Throwable = {
    val (shuffle, status) =
      SparkEnv.get.mapOutputTracker.asInstanceOf[MapOutputTrackerMaster].shuffleStatuses.maxBy(_._1)
    val lost = status.mapStatuses.head
    new FetchFailedException(lost.location, shuffle, lost.mapId, 0, 0, "lost on purpose")
  }
}
