package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.{DataFrame, Encoders}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.explain.WindowReport

/** Where an operator above a window without keys depends on the rows of its partition, they are those of Spark's only partition. */
class PlacesAboveSuite extends SparkSuite {
  private val Settings = Seq[(String, Any)](SlidewiseSettings.ParallelMinRows -> 1000)
  private val Window =
    "SELECT id, id * 37 % 1009 AS v, sum(id) OVER (ORDER BY id * 37 % 1009, id) AS s FROM range(0, 4000, 1, 4)"

  private def tasks(data: DataFrame): Seq[Option[String]] =
    WindowReport.of(data.queryExecution.executedPlan).map(_.reason)

  private def isShared(data: DataFrame) = tasks(data).exists(_.exists(_.contains("tasks share the rows")))

  private val long = Encoders.scalaLong
  private val pair = Encoders.tuple(long, long)

  /** What depends on the rows of a partition. */
  private val Reading = Seq[(String, DataFrame => DataFrame)](
    "monotonically_increasing_id" -> (_.withColumn("n", monotonically_increasing_id())),
    "spark_partition_id" -> (_.withColumn("n", spark_partition_id())),
    "rand with a seed" -> (_.withColumn("n", rand(7))),
    "randn with a seed, in a filter" -> (_.where(randn(7) > 0)),
    "rand above an aggregation" -> (_.groupBy(expr("v % 10")).agg(sum("s")).withColumn("n", rand(7))),
    "an id above another window" ->
      (_.withColumn("r", expr("sum(v) OVER (PARTITION BY id % 10 ORDER BY id)"))
        .withColumn("n", monotonically_increasing_id())),
    "an id above a sort" -> (_.orderBy("v", "id").withColumn("n", monotonically_increasing_id())),
    "a sample" -> (_.sample(withReplacement = false, 0.3, 5)),
    "a limit within" -> (_.limit(100).withColumn("n", expr("id + 1")).where("n % 2 = 0")),
    "the first value" -> (_.agg(first("s"), last("s"))),
    "a list" -> (_.groupBy(expr("v % 10")).agg(collect_list("s"))),
    "the greatest of ties" -> (_.groupBy(expr("v % 10"))
      .agg(expr("max_by(s, v % 7)"), expr("min_by(s, v % 7)"))),
    "a list of a window above" -> (_.withColumn("l", expr("collect_list(s) OVER (PARTITION BY v % 10)"))),
    "ties in a window above" -> (_.withColumn("l", expr("max_by(s, v % 7) OVER (PARTITION BY v % 10)"))),
    "a function of a group" -> (_.select("v", "s")
      .as(pair)
      .groupByKey(_._1 % 10)(long)
      .mapGroups((k, rows) => (k, rows.next()._2))(pair)
      .toDF()),
    "the first rows of a sort within partitions" -> (_.sortWithinPartitions("v").limit(3)),
    "a sort within partitions below others" ->
      (data => data.sortWithinPartitions("v").union(data.sortWithinPartitions("s"))),
    "a sort within partitions" -> (_.sortWithinPartitions("v").where("v > 3")),
    "one partition" -> (_.coalesce(1)),
    "a function of a partition" -> (_.select("s")
      .as(long)
      .mapPartitions(rows => Iterator.single(rows.size.toLong))(long)
      .toDF()),
    "an id below an exchange" -> (_.withColumn("n", monotonically_increasing_id()).repartition(3))
  )

  for (adaptive <- Seq(true, false)) {
    test(s"operators that depend on the rows of a partition, adaptive $adaptive") {
      withSettings((Settings :+ ("spark.sql.adaptive.enabled" -> adaptive)): _*) {
        for ((name, above) <- Reading) {
          val rows = Seq(true, false).map { enabled =>
            withSettings(SlidewiseSettings.Enabled -> enabled) {
              val data = above(spark.sql(Window))
              val found = data.collect().toSeq.sortBy(_.toString)
              if (enabled) assert(!isShared(data) && tasks(data).nonEmpty, s"$name: ${tasks(data)}")
              found
            }
          }
          assertEquals(rows.head, rows(1), name)
        }
      }
    }

    test(s"other operators leave the rows to several tasks, adaptive $adaptive") {
      withSettings((Settings :+ ("spark.sql.adaptive.enabled" -> adaptive)): _*) {
        val above = Seq[(String, DataFrame => DataFrame)](
          "nothing" -> identity,
          "random numbers without a seed" -> (_.withColumn("n", expr("rand()"))
            .withColumn("u", expr("uuid()"))),
          "an id above an exchange" -> (_.repartition(3).withColumn("n", monotonically_increasing_id())),
          "the first rows of the answer" -> (_.limit(10)),
          "aggregates that are the same in any order" ->
            (_.groupBy(expr("v % 10"))
              .agg(
                expr("percentile(s, 0.5)"),
                expr("corr(s, v)"),
                expr("sum(s)"),
                expr("max(struct(s, v))"),
                expr("max(struct(s, double(v)))"),
                expr("try_sum(double(v))")
              )),
          "a pivot" -> (_.withColumn("b", expr("v % 2"))
            .groupBy(expr("v % 10"))
            .pivot("b", Seq(0, 1))
            .sum("s")),
          "a window above" -> (_.withColumn("t", expr("sum(s) OVER (PARTITION BY v % 10)"))
            .withColumn("d", expr("count(DISTINCT s) OVER (PARTITION BY v % 10)"))),
          "the first rows in order" -> (_.orderBy("v", "id")
            .limit(10)
            .withColumn("n", expr("id + 1"))
            .where("n > 0"))
        )
        for ((name, of) <- above) {
          val data = of(spark.sql(Window))
          data.collect()
          assert(isShared(data), s"$name: ${tasks(data)}")
        }
      }
    }

    test(s"an RDD of the rows has Spark's partition, also in barrier mode, adaptive $adaptive") {
      withSettings((Settings :+ ("spark.sql.adaptive.enabled" -> adaptive)): _*) {
        for (window <- Seq(Window, "SELECT id, sum(id) OVER () AS s FROM range(0, 4000, 1, 4)")) {
          def rdd = spark.sql(window).rdd
          assertEquals(rdd.getNumPartitions, 1)
          assertEquals(rdd.barrier().mapPartitions(identity).count(), 4000L)
          // As in Python.
          val plain = spark.sql(window).queryExecution.toRdd
          assertEquals(plain.getNumPartitions, 1)
          assertEquals(plain.barrier().mapPartitions(identity).count(), 4000L)
        }
      }
    }

    test(s"an RDD within a function of a streaming batch has Spark's partition, adaptive $adaptive") {
      withSettings((Settings :+ ("spark.sql.adaptive.enabled" -> adaptive)): _*) {
        val folder = java.nio.file.Files.createTempDirectory("slidewise").resolve("batches").toString
        spark.range(3).write.parquet(folder)
        val partitions = scala.collection.mutable.Buffer.empty[Int]
        def note(batch: DataFrame, id: Long): Unit =
          partitions += spark.sql(Window).queryExecution.toRdd.getNumPartitions
        spark.readStream
          .schema("id BIGINT")
          .parquet(folder)
          .writeStream
          .foreachBatch(note _)
          .trigger(Trigger.AvailableNow())
          .start()
          .awaitTermination()
        assertEquals(partitions.toSeq, Seq(1))
      }
    }

    test(s"rows of several tasks pass a barrier stage, adaptive $adaptive") {
      withSettings((Settings :+ ("spark.sql.adaptive.enabled" -> adaptive)): _*) {
        for (window <- Seq(Window, "SELECT id, sum(id) OVER () AS s FROM range(0, 4000, 1, 4)")) {
          val query = spark.sql(window).queryExecution
          val rows = SQLExecution.withNewExecutionId(query) {
            val rdd = query.toRdd
            assertEquals(rdd.getNumPartitions, 2, window)
            rdd.barrier().mapPartitions(identity).count()
          }
          assertEquals(rows, 4000L)
        }
      }
    }

    test(s"windows above and below barrier stages, adaptive $adaptive") {
      withSettings((Settings :+ ("spark.sql.adaptive.enabled" -> adaptive)): _*) {
        val barrier = spark.range(0, 4000, 1, 2).toDF("id").rdd.barrier().mapPartitions(identity)
        val rows =
          spark.createDataFrame(barrier, new org.apache.spark.sql.types.StructType().add("id", "long"))
        rows.createOrReplaceTempView("barriers")
        for (
          over <- Seq(
            "ORDER BY id",
            "",
            "PARTITION BY id % 3 ORDER BY id ROWS 3 PRECEDING",
            "PARTITION BY id % 3"
          )
        ) {
          val data = spark.sql(s"SELECT id, sum(id) OVER ($over) AS s FROM barriers")
          assertEquals(data.collect().length, 4000, over)
          assertEquals(data.rdd.barrier().mapPartitions(identity).count(), 4000L, over)
        }
      }
    }
  }
}
