package org.slidewise

import scala.concurrent.duration.{Duration, DurationInt}

import munit.FunSuite

/** A suite with a time limit that finds tests that hang, and not those that are slow while other programs run. */
trait Unhurried extends FunSuite {
  override def munitTimeout: Duration = LongRun.orLess(60, less = 10).minutes
}
