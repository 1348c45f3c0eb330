package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, ReturnAnswer, Window}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.LongRun
import org.slidewise.spark.{PlanningRules, SparkSuite}
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{HoppingWindowExec, SlidingWindowExecBase, WindowTopRowsExec}
import org.slidewise.spark.execution.parallel.PlanDeterminism
import org.slidewise.spark.explain.WindowReport
import org.slidewise.spark.planning.parallel.{InputRows, PlacesAbove, SkewedWindows}
import org.slidewise.spark.shims.SparkSessions

/** Whatever visits a plan does so in time linear in its size: the visits to nodes between chained windows are counted. */
class PlanVisitsSuite extends SparkSuite with AdaptiveSparkPlanHelper {
  private val Length = 12
  private lazy val session = {
    val own = SparkSessions.of(spark)
    own.experimental.extraStrategies = Seq(ProbeStrategy)
    own
  }

  /** A chain of windows, each over the last one's results. */
  private def chain(length: Int)(over: Int => String): String = (0 until length).foldLeft(
    "SELECT id, id % 7 AS k, id % 5 AS j, id AS v FROM range(0, 100, 1, 4)"
  )((below, i) => s"SELECT id, k, j, ${over(i)} AS v FROM ($below)")

  private def hopping(length: Int): String = (0 until length).foldLeft(
    "SELECT id % 7 AS k, timestamp_seconds(id) AS t, id AS v FROM range(0, 100, 1, 4)"
  ) { (below, _) =>
    s"SELECT k, w.end AS t, v FROM (SELECT k, window(t, '10 seconds', '5 seconds') AS w, sum(v) AS v FROM ($below) GROUP BY 1, 2)"
  }

  private def firstRows(length: Int): String = (0 until length).foldLeft(
    "SELECT id, id % 7 AS k, id % 5 AS j FROM range(0, 100, 1, 4)"
  ) { (below, i) =>
    s"SELECT id, k, j FROM (SELECT *, rank() OVER (PARTITION BY ${"kj" (i % 2)} ORDER BY id) AS n$i FROM ($below)) WHERE n$i < 9"
  }

  private val Shared = Seq(SlidewiseSettings.ParallelMinRows -> "10")
  private val Chains = Seq[(String, Int => String, Seq[(String, String)], Class[_])](
    ("moving sums", chain(_)(_ => "sum(v) OVER (PARTITION BY k ORDER BY id ROWS 3 PRECEDING)"), Nil, Sliding),
    (
      "growing sums, which Spark evaluates",
      chain(_)(_ => "sum(v) OVER (PARTITION BY k ORDER BY id)"),
      Nil,
      Sliding
    ),
    ("groups by hash", chain(_)(_ => "sum(v) OVER (PARTITION BY k)"), Nil, Sliding),
    (
      "keys and orders that change",
      chain(_)(i => s"sum(v) OVER (PARTITION BY ${"kj" (i % 2)} ORDER BY ${Seq("id", "v")(i / 2 % 2)})"),
      Nil,
      Sliding
    ),
    (
      "expressions",
      chain(_)(_ => "sum(v + 1) OVER (PARTITION BY k + 1 ORDER BY id - 1 ROWS 3 PRECEDING)"),
      Nil,
      Sliding
    ),
    ("no keys, in several tasks", chain(_)(_ => "sum(v) OVER (ORDER BY id)"), Shared, Sliding),
    ("whole tables", chain(_)(_ => "sum(v) OVER ()"), Shared, Sliding),
    (
      "expected skew",
      chain(_)(i => s"sum(v) OVER (PARTITION BY ${"kj" (i % 2)} ORDER BY id ROWS 3 PRECEDING)"),
      Shared :+ (SlidewiseSettings.ParallelSkewedKeys -> "expected"),
      Sliding
    ),
    ("first rows", firstRows, Nil, classOf[WindowTopRowsExec]),
    ("hopping windows", hopping, Nil, classOf[HoppingWindowExec])
  )

  private lazy val Sliding = classOf[SlidingWindowExecBase]

  private def query(sql: String, visits: Visits): QueryExecution = {
    val probed = spark.sql(sql).queryExecution.analyzed.transformUp {
      case window: Window       => window.copy(child = Probe(window.child, visits))
      case aggregate: Aggregate => Probe(aggregate, visits)
    }
    session.sessionState.executePlan(probed)
  }

  /** Visits to a plan, which has been told nothing. */
  private val ofPlans = Seq[(String, SparkPlan => Any)](
    "properties" -> (_.foreach { node =>
      node.output
      node.outputOrdering
      node.outputPartitioning
      node.requiredChildDistribution
      node.requiredChildOrdering
    }),
    "preparation" -> PlanningRules.preparation.apply,
    "skew" -> SkewedWindows.apply,
    "text" -> (plan => plan.treeString + plan.verboseStringWithOperatorId()),
    "reports" -> WindowReport.of,
    "canonical form" -> (_.canonicalized),
    "determinism" -> { plan =>
      val determinism = new PlanDeterminism
      plan.foreach {
        case window: SlidingWindowExecBase => determinism.of(window.child).exists(_.allows(window.plan))
        case _                             => ()
      }
    }
  )

  private def assertLinear(what: String, short: Long, long: Long): Unit =
    assert(long <= 2 * short + 20, s"$what: $long visits for a chain of twice the length, $short for one")

  for ((name, sql, settings, operator) <- Chains) {
    test(s"$name: visits grow with the length of a chain") {
      withSettings((settings :+ ("spark.sql.adaptive.enabled" -> "false")): _*) {
        val counts = Seq(Length, 2 * Length).map { length =>
          val visits = new Visits
          val found = query(sql(length), visits)
          val (logical, plan) = (found.optimizedPlan, found.executedPlan)
          assert(plan.collect { case node if operator.isInstance(node) => node }.size >= length, plan)
          ofPlans.map { case (_, visit) => visits.of(visit(plan.clone())) } :+
            visits.of(inputRows(logical.clone())) :+ visits.of(PlacesAbove.note(logical.clone()))
        }
        (ofPlans.map(_._1) ++ Seq("most rows", "places")).zip(counts.head.zip(counts(1))).foreach {
          case (what, (short, long)) => assertLinear(what, short, long)
        }
      }
    }

    test(s"$name: planning visits nodes no oftener than Spark, adaptive or not") {
      for (adaptive <- Seq(true, false))
        withSettings((settings :+ ("spark.sql.adaptive.enabled" -> adaptive.toString)): _*) {
          def planned(enabled: Boolean) = Seq(Length, 2 * Length).map { length =>
            withSettings(SlidewiseSettings.Enabled -> enabled) {
              val visits = new Visits
              val found = query(sql(length), visits)
              visits.of(found.executedPlan.treeString)
            }
          }
          val (on, off) = (planned(enabled = true), planned(enabled = false))
          assert(
            on(1).toDouble / on.head <= 1.25 * off(1) / off.head,
            s"on $on, off $off, adaptive $adaptive"
          )
        }
    }
  }

  /** As the planner asks: from the top, of windows over projections, with one node below them that counts. */
  private def inputRows(plan: LogicalPlan): Unit =
    if (plan.exists(_.isInstanceOf[Window]))
      plan.transformUp { case Probe(child, _) if child.exists(_.isInstanceOf[Window]) => child }.foreach {
        case window: Window => InputRows.most(window)
        case _              => ()
      }

  test("a chain of windows is planned again by adaptive execution, with the same answer".tag(LongRun)) {
    for ((name, sql, settings, _) <- Chains)
      withSettings(settings: _*) {
        val length = if (name.startsWith("hopping")) 3 else 8
        val result = if (name == "first rows") "id" else "v"
        val rows = Seq(true, false).map { enabled =>
          withSettings(SlidewiseSettings.Enabled -> enabled) {
            spark.sql(s"SELECT count(*), max($result), min($result) FROM (${sql(length)})").collect().toSeq
          }
        }
        assertEquals(rows.head, rows(1), name)
      }
  }

  test("a window is told what it reads by those above once, and asks again when it is planned again") {
    val visits = new Visits
    val plan = query(chain(5)(_ => "sum(v) OVER (ORDER BY id)"), visits).optimizedPlan
    assertEquals(plan.collect { case window: Window => InputRows.most(window) }, Seq.fill(5)(Some(100L)))
    assertEquals(plan.collect { case window: Window => InputRows.most(window) }, Seq.fill(5)(Some(100L)))
  }

  test("columns and expressions: hundreds of each are planned in time linear in their number") {
    def query(n: Int): QueryExecution = {
      val sums = (1 to n).map(i => s"sum(c$i) OVER (PARTITION BY c0 ORDER BY c1 ROWS $i PRECEDING) AS s$i")
      spark
        .sql(
          s"SELECT ${sums.mkString(", ")} FROM (SELECT ${(0 to n).map(i => s"id + $i AS c$i").mkString(", ")} FROM range(10))"
        )
        .queryExecution
    }
    val found = query(200)
    assertEquals(WindowReport.of(found.executedPlan).count(_.algorithm.isDefined), 200)
    session.sessionState.planner.plan(ReturnAnswer(found.optimizedPlan)).next()
  }
}
