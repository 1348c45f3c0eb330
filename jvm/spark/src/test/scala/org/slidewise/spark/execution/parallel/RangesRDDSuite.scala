package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.SparkEnv
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.SQLExecution

import org.slidewise.spark.SparkSuite

class RangesRDDSuite extends SparkSuite {

  /** The bytes that each task gets to run, and those that the tasks get for their own ranges alone. */
  private def sizes(call: String, tasks: Int): (Int, Seq[Int]) =
    withSettings(
      "spark.sql.shuffle.partitions" -> tasks,
      "spark.slidewise.parallel.minRows" -> 50,
      "spark.sql.adaptive.enabled" -> false
    ) {
      val query = spark.sql(s"SELECT $call FROM range(0, 60000, 1, 20)").queryExecution
      val rdd = SQLExecution.withNewExecutionId(query)(query.toRdd)
      val serializer = SparkEnv.get.closureSerializer.newInstance()
      def bytes[T: ClassTag](value: T) = serializer.serialize(value).remaining
      assertEquals(rdd.getNumPartitions, tasks)
      (bytes[RDD[_]](rdd), rdd.partitions.toSeq.map(bytes(_)))
    }

  for (
    call <- Seq(
      "sum(id) OVER (ORDER BY id ROWS 9 PRECEDING)",
      "sum(id) OVER (ORDER BY hash(id))",
      "percentile_approx(id, 0.5) OVER (ORDER BY hash(id), id)"
    )
  ) test(s"a task gets what it needs of its own range: $call") {
    val (few, ofFew) = sizes(call, 5)
    val (many, ofMany) = sizes(call, 40)
    // Spark's shuffle has a checksum for each of its partitions: 16 for each task, and no fewer than 256.
    assert(many < few + 100 + 48 * (16 * 40 - 256), s"$few bytes for 5 tasks, $many for 40")
    // A task reads all runs if their keys are in no order.
    assert(ofMany.max < 2 * ofFew.max, s"${ofFew.max} bytes of one range in 5, ${ofMany.max} in 40")
  }
}
