package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._

/** Plans the window functions that the core's array kernels can evaluate. */
object ArrayPlanner {

  /** The array function that evaluates the window function; none if the array kernels cannot. */
  def of(window: WindowCall): Option[ArrayFunction] =
    window.description.inArrays(window.filter, Some(window.frame).filter(isInArrays))

  /** Whether the kernels can evaluate the function over its frame, and the settings allow it. */
  private[planning] def takes(window: WindowExpression): Boolean = {
    val conf = SQLConf.get
    WindowCall.of(Alias(window, "_we")(), conf).exists { call =>
      !MergePolicy.of(conf).isRecalculated(call.description) && SlidewiseSettings.sort(conf) &&
      of(call).isDefined
    }
  }

  private def isInArrays(frame: Frame): Boolean =
    (frame.keyBounds.map(_.order) ++ frame.rowBounds.map(_.order)).forall(WindowKeys.fitsInLong)
}
