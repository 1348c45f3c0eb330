package org.slidewise.spark.config

import java.net.URLClassLoader

import org.apache.spark.SparkEnv
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.{PlanningRules, SparkSuite}
import org.slidewise.spark.planning.parallel.SkewedWindows
import org.slidewise.spark.shims.SparkErrors

class SettingsSuite extends SparkSuite {
  import SlidewiseSettings._

  private case class Expected(key: String, default: String, valid: Seq[(String, Any)], invalid: Seq[String])(
      val read: SQLConf => Any
  )

  private val booleans = Seq("true" -> true, " False " -> false)
  private val noBooleans = Seq("maybe", "", "1")
  private val expected = Seq(
    Expected(Enabled, "true", booleans, noBooleans)(enabled),
    Expected(Sort, "true", booleans, noBooleans)(sort),
    Expected(TopRows, "true", booleans, noBooleans)(topRows),
    Expected(BlockExchange, "true", booleans, noBooleans)(blockExchange),
    Expected(HoppingWindows, "true", booleans, noBooleans)(hoppingWindows),
    Expected(WindowJoins, "true", booleans, noBooleans)(windowJoins),
    Expected(
      WindowJoinFilterRatio,
      "10",
      Seq("0" -> 0L, " 5000000000 " -> 5000000000L),
      Seq("-1", "many", "")
    )(
      windowJoinFilterRatio
    ),
    Expected(
      RefreshMaxShare,
      "0.5",
      Seq("0" -> 0.0, " 1 " -> 1.0, "0.25" -> 0.25),
      Seq("-0.1", "1.5", "NaN", "half", "")
    )(refreshMaxShare),
    Expected(
      WindowJoinMinSize,
      "2k",
      Seq("0" -> 0L, "64k" -> 65536L, "1G" -> (1L << 30)),
      Seq("lots", "-1", "")
    )(
      windowJoinMinSize
    ),
    Expected(Parallel, "true", booleans, noBooleans)(parallel),
    Expected(ParallelReadTwice, "true", booleans, noBooleans)(readsTwice),
    Expected(
      MaxWindows,
      "1000000000",
      Seq("1" -> 1L, " 5000000000 " -> 5000000000L),
      Seq("0", "-1", "many", "")
    )(
      maxWindows
    ),
    Expected(
      ParallelMinRows,
      "500000",
      Seq("1" -> 1L, " 5000000000 " -> 5000000000L),
      Seq("0", "-1", "many", "")
    )(
      parallelMinRows
    ),
    Expected(
      ParallelSkewedKeys,
      "detected",
      Seq("detected" -> false, " Expected " -> true),
      Seq("", "true", "always")
    )(expectsSkew),
    Expected(ParallelSkewThreshold, "64m", Seq("64k" -> 65536L, "1G" -> (1L << 30)), Seq("lots", "-1", ""))(
      skewThreshold
    ),
    Expected(
      ParallelCores,
      "<undefined>",
      Seq("1" -> Some(1L), " 64 " -> Some(64L)),
      Seq("0", "-1", "all", "")
    )(
      parallelCores
    ),
    Expected(MergeApproximate, "true", booleans, noBooleans)(mergeApproximate),
    Expected(MergeUserAggregators, "true", booleans, noBooleans)(mergeUserAggregators),
    Expected(
      MaxStateSize,
      "16m",
      Seq("64k" -> 65536L, "1G" -> (1L << 30)),
      Seq("lots", "-1", "", "9999999999g")
    )(
      maxStateBytes
    ),
    Expected(NeverMerge, "", Seq("" -> Set(), " My_Agg,, mode " -> Set("my_agg", "mode")), Nil)(neverMerge),
    Expected(StreamMode, "append", Seq("EAGER" -> true, "append" -> false), Seq("update", ""))(streamEager),
    Expected(
      StreamKeyTimeout,
      "<undefined>",
      Seq("7 days" -> Some(7 * 86400000000L), "INTERVAL 1 MINUTE" -> Some(60000000L)),
      Seq("soon", "0 seconds", "-1 day", "7")
    )(streamKeyTimeoutMicros),
    Expected(StreamLateRows, "<undefined>", Seq("/late" -> Some("/late")), Seq(" "))(streamLateRowsPath)
  )

  test("every setting is tested") {
    assertEquals(expected.map(_.key).toSet, SlidewiseSettings.keys)
  }

  for (setting <- expected) {
    test(s"${setting.key}: default, valid and invalid values") {
      val conf = new SQLConf
      val unset = setting.read(conf)
      for ((text, value) <- setting.valid) {
        conf.setConfString(setting.key, text)
        assertEquals(setting.read(conf), value)
      }
      for (text <- setting.invalid) {
        val error = intercept[InvalidSetting](conf.setConfString(setting.key, text))
        assertEquals(SparkErrors.conditionOf(error), "SLIDEWISE_INVALID_SETTING")
        assert(error.getMessage.contains(s"${setting.key} = $text "), error.getMessage)
        assert(error.getMessage.contains("Allowed: "), error.getMessage)
      }
      assertEquals(setting.read(conf), setting.valid.last._2, "an invalid value was kept")
      conf.unsetConf(setting.key)
      assertEquals(setting.read(conf), unset)
    }

    test(s"${setting.key}: SET, SET -v and the session's configuration") {
      spark.range(1).collect() // loads the extension
      assertEquals(spark.sql(s"SET ${setting.key}").head().getString(1), setting.default)
      val listed = spark.sql("SET -v").where(s"key = '${setting.key}'").head()
      assertEquals(listed.getString(1), setting.default)
      assert(listed.getString(2).contains("Allowed: "), listed.getString(2))
      assertEquals(listed.getString(3), "0.2.0")
      assert(spark.conf.isModifiable(setting.key))
      setting.invalid.filter(_.trim.nonEmpty).foreach { text =>
        intercept[InvalidSetting](spark.sql(s"SET ${setting.key}=$text"))
        intercept[InvalidSetting](spark.conf.set(setting.key, text))
      }
      assertEquals(spark.sql(s"SET ${setting.key}").head().getString(1), setting.default)
    }
  }

  test("a session takes over an invalid value of the application's configuration, and can correct it") {
    spark.range(1).collect() // starts the application
    val started = SparkEnv.get.conf.set(MaxStateSize, "lots").set(StreamKeyTimeout, "soon")
    try {
      val conf = new SQLConf
      started.getAll.foreach { case (key, value) => conf.setConfString(key, value) }
      for (copy <- Seq(conf, conf.clone())) {
        assertEquals(copy.getConfString(MaxStateSize), "lots")
        assertEquals(
          SparkErrors.conditionOf(intercept[InvalidSetting](maxStateBytes(copy))),
          "SLIDEWISE_INVALID_SETTING"
        )
        intercept[InvalidSetting](streamKeyTimeoutMicros(copy))
        intercept[InvalidSetting](SlidewiseSettings.validate(copy, isStreaming = false))
      }
      intercept[InvalidSetting](conf.setConfString(MaxStateSize, "more"))
      conf.setConfString(Enabled, "false")
      SlidewiseSettings.validate(conf, isStreaming = true)
      conf.setConfString(Enabled, "true")
      conf.setConfString(MaxStateSize, "1m")
      SlidewiseSettings.validate(conf, isStreaming = false)
    } finally started.remove(MaxStateSize).remove(StreamKeyTimeout)
  }

  test("streaming settings are validated for streams alone") {
    val conf = withInvalid(StreamKeyTimeout -> "soon")
    SlidewiseSettings.validate(conf, isStreaming = false)
    intercept[InvalidSetting](SlidewiseSettings.validate(conf, isStreaming = true))
  }

  test("rules for physical plans read no setting for a plan without windows") {
    val plan = spark.range(3).queryExecution.sparkPlan
    SQLConf.withExistingConf(
      withInvalid(BlockExchange -> "maybe", ParallelSkewedKeys -> "maybe", Parallel -> "maybe")
    ) {
      assertEquals(PlanningRules.preparation(plan), plan)
      assertEquals(SkewedWindows(plan), plan)
    }
  }

  test("another class loader can load the settings again") {
    val classes = classOf[Setting[_]].getProtectionDomain.getCodeSource.getLocation
    val parent = getClass.getClassLoader
    val again = new URLClassLoader(Array(classes), parent) {
      override def loadClass(name: String, resolve: Boolean): Class[_] =
        if (!name.startsWith("org.slidewise.")) super.loadClass(name, resolve)
        else
          getClassLoadingLock(name).synchronized(Option(findLoadedClass(name)).getOrElse(findClass(name)))
    }
    try {
      val settings = again.loadClass(SlidewiseSettings.getClass.getName)
      assert(settings ne SlidewiseSettings.getClass)
      val module = settings.getField("MODULE$").get(null)
      val conf = new SQLConf
      conf.setConfString(MaxStateSize, "3k")
      assertEquals(settings.getMethod("maxStateBytes", classOf[SQLConf]).invoke(module, conf), Long.box(3072))
    } finally again.close()
  }

  /** Settings as a session has them that was started with these: no check at start-up. */
  private def withInvalid(values: (String, String)*): SQLConf =
    new SQLConf {
      values.foreach { case (key, value) => settings.put(key, value) }
    }
}
