package org.slidewise.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}
import org.slidewise.core.Stable

/**
 * Switches Slidewise on in new sessions. Spark applies it if `spark.sql.extensions` names it, and finds it by itself if the
 * jar is on the class path at start-up.
 *
 * On a Spark version that this jar is not built for, it changes nothing and logs one warning.
 */
@Stable
class SlidewiseExtensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit =
    if (SlidewiseExtensions.firstTime(extensions) && SparkVersion.isSupported) Injection(extensions)
}

object SlidewiseExtensions {
  private val seen = Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])

  private def firstTime(extensions: SparkSessionExtensions): Boolean = seen.synchronized(seen.add(extensions))
}

/** A class of its own, so that no Catalyst class is loaded on a Spark version that this jar is not built for. */
private object Injection {
  def apply(extensions: SparkSessionExtensions): Unit = {
    config.SlidewiseSettings.register()
    shims.RulesBeforeResolution.inject(extensions)(new planning.PythonFilterClause(_))
    extensions.injectResolutionRule(_ => planning.RewriteWindowAggregates)
    extensions.injectResolutionRule(planning.hopping.ResolveHoppingWindows.in(_))
    extensions.injectOptimizerRule(
      new planning.hopping.ExpandHoppingWindows(_, planning.streams.StreamRules.evaluatesHopping)
    )
    extensions.injectPlanNormalizationRule(_ => planning.joins.RewriteWindowJoins)
    extensions.injectOptimizerRule(_ => planning.joins.OptimizeWindowJoins)
    extensions.injectPreCBORule(_ => planning.joins.InferKeyFilters)
    extensions.injectPreCBORule(_ => planning.joins.FilterRightRows)
    extensions.injectPostHocResolutionRule(_ => planning.RewriteWindowAggregates.InUnresolved)
    PlanningRules.strategies.foreach(strategy => extensions.injectPlannerStrategy(_ => strategy))
    extensions.injectQueryStagePrepRule(_ => PlanningRules.preparation)
    extensions.injectColumnar(_ => PlanningRules.preparation.columnar)
    extensions.injectQueryStageOptimizerRule(_ => planning.parallel.SkewedWindows)
    planning.streams.StreamRules.inject(extensions)
    expressions.SqlFunctions.all.foreach(f => extensions.injectFunction(f.description))
    extensions.injectCheckRule(_ => planning.SettingsCheck)
    extensions.injectCheckRule(_ => planning.IntervalFrameCheck)
    extensions.injectCheckRule(_ => expressions.OrderCheck)
  }
}
