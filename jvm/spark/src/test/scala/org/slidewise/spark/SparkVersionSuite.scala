package org.slidewise.spark

import munit.FunSuite
import org.slidewise.spark.config.BuiltFor

class SparkVersionSuite extends FunSuite {
  private val scala = s"${BuiltFor.SCALA}.18"
  private val tested = BuiltFor.TESTED.split(", ").toSeq

  test("the jar fits each patch of its minor with its Scala version, and no other") {
    assert(SparkVersion.fits(s"${BuiltFor.MINOR}.0", scala))
    assert(SparkVersion.fits(s"${BuiltFor.MINOR}.17-vendor-1", scala))
    assert(!SparkVersion.fits(s"${BuiltFor.MINOR}.0", "2.11.12"))
    assert(!SparkVersion.fits(s"${BuiltFor.MINOR}.0", "3.7.0"))
    assert(!SparkVersion.fits(s"${BuiltFor.MINOR}0.0", scala))
    assert(!SparkVersion.fits("2.4.8", scala))
  }

  test("the running Spark is supported") {
    assert(SparkVersion.isSupported)
  }

  test("an untested patch is named with the tested ones") {
    tested.foreach(patch => assert(SparkVersion.isTested(patch), patch))
    val vendor = s"${tested.last}-vendor-1"
    assert(!SparkVersion.isTested(vendor))
    assertEquals(
      SparkVersion.untested(vendor),
      s"Slidewise ${BuiltFor.VERSION} is on, but was not tested on Spark $vendor; it was tested on ${BuiltFor.TESTED}"
    )
  }

  test("one line of the log names an untested patch, on which Slidewise is on, and none a tested one") {
    val vendor = s"${tested.last}-vendor-1"
    val lines = LogMessages.during(assert(SparkVersion.check(vendor, scala)))
    assertEquals(lines.filter(_.contains("Slidewise")), Seq(SparkVersion.untested(vendor)))
    val none = LogMessages.during(assert(SparkVersion.check(tested.head, scala)))
    assertEquals(none.filter(_.contains("Slidewise")), Nil)
    val off = LogMessages.during(assert(!SparkVersion.check("2.4.8", scala)))
    assertEquals(off.filter(_.contains("Slidewise")), Seq(SparkVersion.mismatch("2.4.8", scala)))
  }

  test("a Spark of another Scala version is told which jars there are") {
    val text = SparkVersion.mismatch("3.5.2", "2.11.12")
    assert(text.startsWith("Slidewise stays off: this jar is for Spark "), text)
    assert(text.contains("this is Spark 3.5.2 with Scala 2.11.12"), text)
    assert(text.contains("3.5 (Scala 2.12, 2.13)"), text)
  }
}
