package org.slidewise.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

/**
 * The one door: what `spark.sql.extensions` names, and what a jar on the class path brings by itself.
 *
 * On a Spark that this jar was not made for, it changes nothing and says so in one line of the log.
 */
class SlidewiseExtensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit =
    if (SlidewiseExtensions.firstTime(extensions) && SparkVersion.isSupported) Injection(extensions)
}

object SlidewiseExtensions {
  private val seen = Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])

  private def firstTime(extensions: SparkSessionExtensions): Boolean = seen.synchronized(seen.add(extensions))
}

/** Kept apart so that nothing of Catalyst is loaded on a Spark that this jar was not made for. */
private object Injection {
  def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectPlannerStrategy(_ => planning.SlidingWindowStrategy)
    extensions.injectHintResolutionRule(_ => planning.streams.StreamStartRule)
    extensions.injectPostHocResolutionRule(_ => planning.streams.StreamWindowRule)
    extensions.injectPlannerStrategy(_ => planning.streams.StreamWindowStrategy)
    extensions.injectCheckRule(session => new planning.streams.StreamCheck(session))
    extensions.injectOptimizerRule(_ => planning.streams.PushFilterThroughStream)
    expressions.Registered.all.foreach(extensions.injectFunction)
    extensions.injectCheckRule(_ => expressions.OrderCheck)
  }
}
