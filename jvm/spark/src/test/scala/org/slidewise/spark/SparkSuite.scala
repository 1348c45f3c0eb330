package org.slidewise.spark

import java.util.concurrent.LinkedBlockingQueue

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.SparkSession

import org.slidewise.{SomeCases, Unhurried}
import org.slidewise.spark.config.BuiltFor

/** A suite with a session of its own, in which a leak of task memory is an error. Suites with the same settings share the rest of Spark. */
abstract class SparkSuite extends Unhurried {

  override def munitTests(): Seq[Test] = SomeCases.of(super.munitTests())

  /** Settings beyond the usual ones. */
  protected def settings: Map[String, String] = Map.empty

  /**
   * Whether no other suite has this Spark: a test takes all memory, of which other suites' streams and broadcasts would give some
   * back at any time, or loses an executor.
   */
  protected def hasOwnSpark: Boolean = false

  protected lazy val spark: SparkSession =
    SparkSuite.session(settings, if (hasOwnSpark) Some(getClass.getName) else None)

  /** Whether functions over windows may have FILTER, which is since 4.2. */
  protected def windowsFilter: Boolean = !Seq("3.5", "4.0", "4.1").contains(BuiltFor.MINOR)

  /** FILTER where windows may have it. */
  protected def filter(condition: String): String = if (windowsFilter) s"FILTER (WHERE $condition)" else ""

  /** Skips a test on Spark 3.5 if `sql`, whose subqueries are correlated, has a LIMIT, which 3.5 refuses there. */
  protected def assumeAllowed(sql: String): Unit = assume(BuiltFor.MINOR != "3.5" || !sql.contains("LIMIT"))

  /** Runs `body` with settings of the session, which have their earlier values afterwards. */
  protected def withSettings[T](settings: (String, Any)*)(body: => T): T = {
    val before = settings.map { case (key, _) => key -> spark.conf.getAll.get(key) }
    settings.foreach { case (key, value) => spark.conf.set(key, value.toString) }
    try body
    finally before.foreach { case (key, value) => value.fold(spark.conf.unset(key))(spark.conf.set(key, _)) }
  }

  /** The number of jobs that `body` runs, all of which have ended when it does. */
  protected def jobsOf(body: => Any): Int = {
    val (context, last) = (spark.sparkContext, "the last job")
    val jobs = new LinkedBlockingQueue[String]
    val listener = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit = jobs.add(descriptionOf(job)): Unit
    }
    context.addSparkListener(listener)
    try {
      body
      // Listeners hear of it after all others.
      context.setJobDescription(last)
      context.parallelize(Seq(0), 1).count()
      Iterator.continually(jobs.take()).indexWhere(_ == last)
    } finally {
      context.setJobDescription(null)
      context.removeSparkListener(listener)
    }
  }

  private def descriptionOf(job: SparkListenerJobStart): String =
    job.properties.getProperty("spark.job.description", "")

  /** Runs `body` in a task and gives its answer back. */
  protected def inTask[T: scala.reflect.ClassTag](body: () => T): T =
    spark.sparkContext.parallelize(Seq(0), 1).mapPartitions(_ => Iterator(body())).collect().head
}

object SparkSuite {
  private type Key = (Map[String, String], Option[String])
  private var running: Option[(Key, SparkSession)] = None

  // On local disk, Spark's default starts four processes for each file of a checkpoint, to look for symbolic links.
  private val CheckpointFiles = {
    val folder = if (Seq("3.5", "4.0").contains(BuiltFor.MINOR)) "streaming" else "streaming.checkpointing"
    s"org.apache.spark.sql.execution.$folder.FileSystemBasedCheckpointFileManager"
  }

  /**
   * @param owner
   *   the only suite that has this Spark; none if suites share it
   */
  private def session(settings: Map[String, String], owner: Option[String]): SparkSession = {
    val key = (settings, owner)
    val first = running match {
      case Some((`key`, started)) => started
      case other                  =>
        other.foreach(_._2.stop())
        val started = start(settings)
        running = Some(key -> started)
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
      .config("spark.sql.streaming.checkpointFileManagerClass", CheckpointFiles)
    settings.foreach { case (key, value) => builder.config(key, value) }
    builder.getOrCreate()
  }
}
