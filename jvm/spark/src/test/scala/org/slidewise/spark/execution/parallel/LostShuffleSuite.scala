package org.slidewise.spark.execution.parallel

import org.apache.spark.{LostShuffle, TaskContext}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.functions.{col, udf}

import org.slidewise.spark.SparkSuite

/** Shuffles below a window without keys that are lost, and written again with other last digits. */
class LostShuffleSuite extends SparkSuite {
  import LostShuffleSuite._

  override protected def hasOwnSpark: Boolean = true

  for (checksums <- Seq(true, false))
    test(s"a query answers when a shuffle is lost, checksums: $checksums") {
      val settings = Seq[(String, Any)](
        "spark.sql.shuffle.orderIndependentChecksum.enabled" -> checksums,
        "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch" -> checksums,
        "spark.sql.shuffle.partitions" -> 4,
        "spark.slidewise.parallel.minRows" -> 50,
        "spark.sql.adaptive.enabled" -> false
      )
      withSettings(settings: _*) {
        val digits = udf((id: Long) => id / 7.0 + (if (isLost) 1e-9 else 0.0))
        spark.udf.register("digits", digits)
        spark.range(0, 400, 1, 4).repartition(4, col("id")).createOrReplaceTempView("lost_shuffle")
        val query = spark
          .sql("""SELECT g, max(s) OVER (ORDER BY g) AS m FROM (
                 |  SELECT g, s FROM (SELECT id AS g, sum(digits(id)) AS s FROM lost_shuffle GROUP BY id) DISTRIBUTE BY g % 7
                 |)""".stripMargin)
          .queryExecution
        isLost = false
        val found = SQLExecution.withNewExecutionId(query) {
          val results = query.executedPlan.execute()
          assertEquals(results.getNumPartitions > 1, !checksums)
          val last = results.getNumPartitions - 1
          results
            .mapPartitions { rows =>
              val read = rows.map(_.getLong(0)).toVector
              if (!isLost && TaskContext.get().partitionId() == last) {
                isLost = true
                throw LostShuffle.failure()
              }
              read.iterator
            }
            .collect()
        }
        assert(isLost)
        assertEquals(found.toSeq, 0L until 400L: Seq[Long])
      }
    }
}

object LostShuffleSuite {
  @volatile private var isLost = false
}
