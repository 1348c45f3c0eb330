package org.slidewise.spark

import scala.concurrent.duration.{Duration, DurationInt}

import munit.FunSuite
import org.apache.spark.sql.SparkSession

import org.slidewise.spark.config.BuiltFor

/** A suite with a session of its own, in which a leak of task memory is an error. Suites with the same settings share the rest of Spark. */
abstract class SparkSuite extends FunSuite {

  // The first test of a suite waits for the session.
  override val munitTimeout: Duration = 10.minutes

  /** Settings beyond the usual ones. */
  protected def settings: Map[String, String] = Map.empty

  protected lazy val spark: SparkSession = SparkSuite.session(settings)

  /** FILTER where windows may have it, which is since 4.2. */
  protected def filter(condition: String): String =
    if (Seq("3.5", "4.0", "4.1").contains(BuiltFor.MINOR)) "" else s"FILTER (WHERE $condition)"

  /** Runs `body` in a task and gives its answer back. */
  protected def inTask[T: scala.reflect.ClassTag](body: () => T): T =
    spark.sparkContext.parallelize(Seq(0), 1).mapPartitions(_ => Iterator(body())).collect().head
}

object SparkSuite {
  private var running: Option[(Map[String, String], SparkSession)] = None

  private def session(settings: Map[String, String]): SparkSession = {
    val first = running match {
      case Some((`settings`, started)) => started
      case other                       =>
        other.foreach(_._2.stop())
        val started = start(settings)
        running = Some(settings -> started)
        started
    }
    val session = first.newSession()
    SparkSession.setActiveSession(session)
    SparkSession.setDefaultSession(session)
    session
  }

  private def start(settings: Map[String, String]): SparkSession = {
    val builder = SparkSession
      .builder()
      .master("local[2]")
      .config("spark.sql.extensions", classOf[SlidewiseExtensions].getName)
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.ansi.enabled", "true") // the default since 4.0
      .config("spark.unsafe.exceptionOnMemoryLeak", "true")
    settings.foreach { case (key, value) => builder.config(key, value) }
    builder.getOrCreate()
  }
}
