import java.nio.file.{Files, Paths}

import scala.collection.JavaConverters._
import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.util.QueryExecutionListener

/** Asks each node of each plan for all that lineage and audit tools ask, in a listener as theirs. */
final class PlanWalker extends QueryExecutionListener {
  @volatile var walked: Seq[String] = Nil
  @volatile var failed: Seq[String] = Nil

  override def onSuccess(name: String, execution: QueryExecution, nanos: Long): Unit = {
    val (nodes, failures) = (mutable.LinkedHashSet[String](), mutable.LinkedHashSet[String]())
    val plans: Seq[QueryPlan[_]] =
      Seq(execution.analyzed, execution.optimizedPlan, execution.sparkPlan, execution.executedPlan)
    plans.foreach(walk(_, nodes, failures))
    failed = failures.toSeq
    walked = nodes.toSeq
  }

  override def onFailure(name: String, execution: QueryExecution, error: Exception): Unit = {
    failed = Seq(error.toString)
    walked = Seq(name)
  }

  private def walk(plan: QueryPlan[_], nodes: mutable.Set[String], failures: mutable.Set[String]): Unit = {
    def tried(method: String, asked: => Any): Unit =
      try asked
      catch { case NonFatal(error) => failures += s"${plan.nodeName}.$method: $error" }
    nodes += plan.nodeName
    tried("treeString", plan.treeString)
    tried("treeString(verbose)", plan.treeString(verbose = true, addSuffix = true))
    tried("numberedTreeString", plan.numberedTreeString)
    tried("simpleString", plan.simpleString(25))
    tried("verboseString", plan.verboseString(25))
    tried("verboseStringWithOperatorId", plan.verboseStringWithOperatorId())
    tried("toJSON", plan.toJSON)
    tried("prettyJson", plan.prettyJson)
    tried("output", (plan.output, plan.outputSet, plan.schema, plan.schemaString))
    tried("references", (plan.references, plan.inputSet, plan.producedAttributes))
    tried("missingInput", require(plan.missingInput.isEmpty, plan.missingInput.toString))
    tried("canonicalized", (plan.canonicalized.toString, plan.semanticHash()))
    tried("collectLeaves", plan.collectLeaves())
    tried("expressions", plan.expressions.foreach(e => (e.sql, e.toString, e.toJSON, e.canonicalized, e.dataType)))
    tried("clone", require(plan.clone() == plan, "differs"))
    plan match {
      case logical: LogicalPlan =>
        tried("stats", (logical.stats, logical.maxRows, logical.distinctKeys, logical.constraints))
      case physical: SparkPlan =>
        tried("metrics", physical.metrics.values.foreach(metric => (metric.name, metric.value)))
        tried("outputPartitioning", (physical.outputPartitioning, physical.outputOrdering))
      case _ =>
    }
    val below: Seq[Any] = plan match {
      case adaptive: AdaptiveSparkPlanExec => Seq(adaptive.executedPlan, adaptive.initialPlan)
      case stage: QueryStageExec           => Seq(stage.plan)
      case other                           => other.children
    }
    (below ++ plan.innerChildren).foreach { case inner: QueryPlan[_] => walk(inner, nodes, failures) }
  }
}

/** Arguments: a file with the name, the settings and the SQL of a query in each line, separated by tabs. */
object PlanWalker {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    val walker = new PlanWalker
    spark.listenerManager.register(walker)
    for (line <- Files.readAllLines(Paths.get(arguments(0))).asScala) {
      val Array(name, settings, sql) = line.split("\t")
      settings.split(" ").filter(_.nonEmpty).map(_.split("=")).foreach(pair => spark.conf.set(pair(0), pair(1)))
      walker.walked = Nil
      spark.sql(sql).collect()
      while (walker.walked.isEmpty) Thread.sleep(5)
      println(s"$name\t${walker.walked.mkString(" ")}\t${walker.failed.mkString("; ").replaceAll("\\s+", " ")}")
      settings.split(" ").filter(_.nonEmpty).foreach(pair => spark.conf.unset(pair.split("=")(0)))
    }
    spark.stop()
  }
}
