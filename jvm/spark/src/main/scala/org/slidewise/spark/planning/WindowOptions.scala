package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings

/**
 * The settings that a window was planned with; later changes do not touch it.
 *
 * @param arrays
 *   whether array kernels answer what they can
 * @param sort
 *   whether the operator sorts its rows itself, if they do not come in order already
 * @param maxStateBytes
 *   see [[org.slidewise.spark.config.SlidewiseSettings.MaxStateSize]]
 */
final case class WindowOptions(
    arrays: Boolean,
    sort: Boolean,
    mergeApproximate: Boolean,
    maxStateBytes: Long
)

object WindowOptions {
  def of(conf: SQLConf, partitionSpec: Seq[Expression], orderSpec: Seq[SortOrder]): WindowOptions =
    WindowOptions(
      SlidewiseSettings.sort(conf),
      SlidewiseSettings.sort(conf) && SortDecision.canSort(partitionSpec, orderSpec),
      SlidewiseSettings.mergeApproximate(conf),
      SlidewiseSettings.maxStateBytes(conf)
    )
}
