package org.slidewise.spark.planning

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

import org.slidewise.spark.errors.RefusedQuery

/**
 * Falls back to Spark if planning fails, and logs a warning. The cause is a bug in planning, or a class or method that this Spark
 * lacks, such as a vendor's Spark. A [[RefusedQuery]] still fails the query.
 */
private[planning] object PlanningFailure extends Logging {

  /**
   * @param what
   *   the name of the planned part, as in "a window"
   * @param otherwise
   *   the result if planning fails
   */
  def leaveToSpark[T](what: String)(plan: => T)(otherwise: Throwable => T): T =
    try plan
    catch {
      case refused: RefusedQuery               => throw refused
      case e @ (NonFatal(_) | _: LinkageError) =>
        logWarning(s"Slidewise could not plan $what and leaves it to Spark: please report this", e)
        otherwise(e)
    }
}
