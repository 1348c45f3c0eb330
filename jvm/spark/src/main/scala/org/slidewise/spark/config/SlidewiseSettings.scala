package org.slidewise.spark.config

import java.util.Locale
import java.util.concurrent.TimeUnit

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

/**
 * The settings under `spark.slidewise.`. Initializing this object registers them with Spark, once in each JVM. All settings can be
 * changed in a running session.
 */
object SlidewiseSettings {
  final val Prefix = "spark.slidewise."

  final val Enabled = "spark.slidewise.enabled"
  final val Sort = "spark.slidewise.sort.enabled"
  final val TopRows = "spark.slidewise.topRows.enabled"
  final val HoppingWindows = "spark.slidewise.hoppingWindows.enabled"
  final val WindowJoins = "spark.slidewise.windowJoins.enabled"
  final val WindowJoinFilterRatio = "spark.slidewise.windowJoins.filterRatio"
  final val WindowJoinMinSize = "spark.slidewise.windowJoins.minSize"
  final val MaxWindows = "spark.slidewise.hoppingWindows.maxPerRow"
  final val BlockExchange = "spark.slidewise.blockExchange.enabled"
  final val Parallel = "spark.slidewise.parallel.enabled"
  final val ParallelMinRows = "spark.slidewise.parallel.minRows"
  final val ParallelSkewedKeys = "spark.slidewise.parallel.skewedKeys"
  final val ParallelSkewThreshold = "spark.slidewise.parallel.skewThreshold"
  final val ParallelCores = "spark.slidewise.parallel.cores"
  final val ParallelReadTwice = "spark.slidewise.parallel.readTwice"
  final val MaxStateSize = "spark.slidewise.state.maxSize"
  final val MergeApproximate = "spark.slidewise.mergeApproximate"
  final val MergeUserAggregators = "spark.slidewise.mergeUserAggregators"
  final val NeverMerge = "spark.slidewise.neverMerge"
  final val RefreshMaxShare = "spark.slidewise.refresh.maxShare"
  final val StreamMode = "spark.slidewise.streaming.mode"
  final val StreamKeyTimeout = "spark.slidewise.streaming.keyTimeout"
  final val StreamLateRows = "spark.slidewise.streaming.lateRowsPath"

  private final val Since = "0.2.0"

  private val enabledSetting = boolean(
    Enabled,
    "Whether Slidewise runs windows, hopping windows and window joins. If false, Spark's operators run them, and queries that " +
      "Spark refuses fail."
  )

  private val sortSetting = boolean(
    Sort,
    "Whether Slidewise sorts the rows of a window by radix, and computes ranks, values of other rows, and " +
      "sums, counts, means, variances and extremes of numbers in arrays. If false, Spark sorts the rows, and " +
      "Slidewise computes every function row by row."
  )

  private val topRowsSetting = boolean(
    TopRows,
    "Whether Slidewise selects the first rows of each partition for a filter such as row_number() <= 3, also by rank and " +
      "dense_rank, where Spark plans WindowGroupLimit. If false, Spark sorts all rows before and after the shuffle."
  )

  private val hoppingWindowsSetting = boolean(
    HoppingWindows,
    "Whether Slidewise evaluates GROUP BY with a hopping window(), such as window(ts, '1 hour', '1 minute'), from one partial " +
      "aggregate for each key and pane. If false, Spark copies each row into every window that holds it."
  )

  private val windowJoinsSetting = boolean(
    WindowJoins,
    "Whether Slidewise evaluates aggregates of another table's rows in a range of time: LATERAL and scalar subqueries, and joins " +
      "with GROUP BY, whose conditions are equal keys and a range; also as-of joins. If false, Spark joins the tables and " +
      "aggregates the pairs of rows."
  )

  private val windowJoinFilterRatioSetting = Setting.withDefault(
    WindowJoinFilterRatio,
    "10",
    Since,
    "a whole number of at least 0",
    "Before a window join shuffles the other table, Slidewise drops its rows whose key or time no left row can reach, if the other " +
      "table is at least so many times as large as the left one by Spark's statistics, and the left one is small and cheap to read " +
      "twice. 0 filters in any case."
  )(value => Some(value.toLong).filter(_ >= 0).get)

  private val windowJoinMinSizeSetting = Setting.withDefault(
    WindowJoinMinSize,
    "2k",
    Since,
    "a size such as 2k or 1m",
    "A join with GROUP BY is left to Spark if the other table is smaller by Spark's statistics and the left one is a thousand times " +
      "as large as this size: Spark broadcasts the other table. 0 leaves none."
  )(JavaUtils.byteStringAsBytes(_), sizeText(_))

  private val maxWindowsSetting = Setting.withDefault(
    MaxWindows,
    "1000000000",
    Since,
    "a whole number of at least 1",
    "The most windows of a hopping window() that hold one row: its size divided by its slide. A result has a row for each window " +
      "that holds an event, so a query with more windows is refused."
  )(atLeastOne(_))

  private val blockExchangeSetting = boolean(
    BlockExchange,
    "Whether the shuffle below a window with PARTITION BY moves blocks of up to 64 KiB, each with the rows of one partition, " +
      "instead of single rows. If false, Spark's own exchange shuffles the rows."
  )

  private val parallelSetting = boolean(
    Parallel,
    "Whether several tasks share the rows of a window without PARTITION BY, or of a partition that is skewed: each evaluates a " +
      "range of the rows in order. If false, one task evaluates all rows of a partition, as in Spark."
  )

  private val parallelMinRowsSetting = Setting.withDefault(
    ParallelMinRows,
    "500000",
    Since,
    "a whole number of at least 1",
    s"The least number of rows of each task that shares a window, see $Parallel. There are at most " +
      "spark.sql.shuffle.partitions such tasks, and one task evaluates fewer than twice this number of rows."
  )(atLeastOne(_))

  private val readTwiceSetting = boolean(
    ParallelReadTwice,
    s"Whether the tasks of a window over a whole table in no order, see $Parallel, or over whole partitions of few keys, read the table " +
      "twice where it lies in columns, in Parquet or ORC files or in Spark's cache: first the columns that the window aggregates, then its rows. If false, the rows are shuffled."
  )

  private val expectedSkewSetting = choice(
    ParallelSkewedKeys,
    "detected",
    "expected",
    s"When several tasks share the rows of a window with PARTITION BY, or of a window join by keys, see $Parallel. detected: " +
      "once the shuffle below it shows a skewed partition, whose rows are then shuffled again; needs adaptive execution. expected: from the start, with one " +
      "shuffle, in the order of the window."
  )

  private val skewThresholdSetting = Setting.withDefault(
    ParallelSkewThreshold,
    "64m",
    Since,
    "a size such as 64m or 1g",
    "The minimum size of a skewed partition: one of a shuffle below a window with PARTITION BY, that several tasks share. It must " +
      "also exceed spark.sql.adaptive.skewJoin.skewedPartitionFactor times the median size, and twice an even share of the rows " +
      "for each core, or for each task if the rows are worth fewer tasks. Needs adaptive execution."
  )(JavaUtils.byteStringAsBytes(_), sizeText(_))

  private val coresSetting = Setting.optional(
    ParallelCores,
    Since,
    "a whole number of at least 1",
    "How many cores the tasks that share a skewed partition may expect, which decides whether sharing pays. If not set, the " +
      "default parallelism: the cores of the executors that run, or spark.default.parallelism. Set it where executors come on demand."
  )(atLeastOne(_))

  private val maxStateSizeSetting = Setting.withDefault(
    MaxStateSize,
    "16m",
    Since,
    "a size such as 64k, 16m or 1g",
    "Memory limit of a task for the cached partial aggregates of one frame. Beyond it, some are recomputed from the " +
      "buffered rows."
  )(JavaUtils.byteStringAsBytes(_), sizeText(_))

  private val mergeApproximateSetting = boolean(
    MergeApproximate,
    "Whether Slidewise merges partial aggregates of approximate functions: percentile_approx, approx_count_if, " +
      "approx_sum, and the HLL, KLL, theta, tuple and sliding sketches. The result keeps the function's error bound, but " +
      "may differ from Spark's. If false, these functions are computed from all rows of each frame, at the cost of " +
      "Spark's window operator, and return exactly Spark's result."
  )

  private val mergeUserAggregatorsSetting = boolean(
    MergeUserAggregators,
    "Whether Slidewise merges partial aggregates of user-defined aggregate functions (Aggregator). Spark's window " +
      "operator never calls their merge. If false, they are computed from all rows of each frame, at the cost of Spark's " +
      s"window operator. $NeverMerge does the same for single functions."
  )

  private val neverMergeSetting = Setting.withDefault[Set[String]](
    NeverMerge,
    "",
    Since,
    "function names separated by commas",
    "Aggregate functions whose partial aggregates are never merged, because their merge is missing, fails, or depends on " +
      "the grouping of the rows. They are computed from all rows of each frame, at the cost of Spark's window operator. " +
      "Upper and lower case count as equal."
  )(_.split(',').map(_.trim.toLowerCase(Locale.ROOT)).filter(_.nonEmpty).toSet, _.toSeq.sorted.mkString(","))

  private val refreshMaxShareSetting = Setting.withDefault(
    RefreshMaxShare,
    "0.5",
    Since,
    "a number from 0 to 1",
    "slidewise.refresh computes the whole query if it would otherwise read more than this share of the rows of the changed table. 1: " +
      "only if results of all rows may change."
  )(value => Some(value.toDouble).filter(share => share >= 0 && share <= 1).get)

  private val streamEagerSetting = choice(
    StreamMode,
    "append",
    "eager",
    "When the rows of a stream are emitted. append: once the watermark passes them, so that out-of-order rows find their " +
      "place. " +
      "eager: in the batch in which they arrive; a row is then too late if a newer row of its key has been emitted. " +
      "A checkpoint keeps its mode."
  )

  private val streamKeyTimeoutSetting = Setting.optional(
    StreamKeyTimeout,
    Since,
    "a positive interval such as 7 days",
    "How far the watermark must pass the last row of a key before Slidewise removes the state of a key whose frames have no " +
      "limit in time. Rows that wait for others are then emitted without them. The state of RANGE frames stays as long as the " +
      "frames reach. If not set, frames without a limit in time keep the state of a key."
  )(positiveMicros(_))

  private val streamLateRowsSetting = Setting.optional(
    StreamLateRows,
    Since,
    "the path of a directory",
    "The directory into which Slidewise writes late rows as JSON, in a folder for each query, operator and batch. If not set, " +
      "late rows are only counted."
  )(path => if (path.isEmpty) throw new IllegalArgumentException("empty") else path)

  /** Makes sure that the settings are registered. */
  def register(): Unit = ()

  private val always = Seq(
    enabledSetting,
    sortSetting,
    topRowsSetting,
    windowJoinsSetting,
    windowJoinFilterRatioSetting,
    windowJoinMinSizeSetting,
    refreshMaxShareSetting,
    hoppingWindowsSetting,
    maxWindowsSetting,
    blockExchangeSetting,
    parallelSetting,
    parallelMinRowsSetting,
    readTwiceSetting,
    expectedSkewSetting,
    skewThresholdSetting,
    coresSetting,
    maxStateSizeSetting,
    mergeApproximateSetting,
    mergeUserAggregatorsSetting,
    neverMergeSetting
  )

  private val ofStreams = Seq(streamEagerSetting, streamKeyTimeoutSetting, streamLateRowsSetting)

  /** The keys of all settings. */
  val keys: Set[String] = (always ++ ofStreams).map(_.key).toSet

  /** Fails with [[InvalidSetting]] if Slidewise is on and a setting that a query needs has an invalid value. */
  def validate(conf: SQLConf, isStreaming: Boolean): Unit =
    if (enabled(conf)) {
      always.foreach(_(conf))
      if (isStreaming) ofStreams.foreach(_(conf))
    }

  def enabled(conf: SQLConf): Boolean = enabledSetting(conf)
  def sort(conf: SQLConf): Boolean = sortSetting(conf)

  // Each of these parts is on only while Slidewise is on.
  def topRows(conf: SQLConf): Boolean = enabled(conf) && topRowsSetting(conf)
  def hoppingWindows(conf: SQLConf): Boolean = enabled(conf) && hoppingWindowsSetting(conf)
  def windowJoins(conf: SQLConf): Boolean = enabled(conf) && windowJoinsSetting(conf)
  def blockExchange(conf: SQLConf): Boolean = enabled(conf) && blockExchangeSetting(conf)
  def parallel(conf: SQLConf): Boolean = enabled(conf) && parallelSetting(conf)

  def windowJoinFilterRatio(conf: SQLConf): Long = windowJoinFilterRatioSetting(conf)
  def windowJoinMinSize(conf: SQLConf): Long = windowJoinMinSizeSetting(conf)
  def maxWindows(conf: SQLConf): Long = maxWindowsSetting(conf)
  def readsTwice(conf: SQLConf): Boolean = parallel(conf) && readTwiceSetting(conf)
  def parallelMinRows(conf: SQLConf): Long = parallelMinRowsSetting(conf)
  def expectsSkew(conf: SQLConf): Boolean = expectedSkewSetting(conf)
  def skewThreshold(conf: SQLConf): Long = skewThresholdSetting(conf)
  def parallelCores(conf: SQLConf): Option[Long] = coresSetting(conf)
  def maxStateBytes(conf: SQLConf): Long = maxStateSizeSetting(conf)
  def mergeApproximate(conf: SQLConf): Boolean = mergeApproximateSetting(conf)
  def mergeUserAggregators(conf: SQLConf): Boolean = mergeUserAggregatorsSetting(conf)

  /** The function names, in lower case. */
  def neverMerge(conf: SQLConf): Set[String] = neverMergeSetting(conf)
  def refreshMaxShare(conf: SQLConf): Double = refreshMaxShareSetting(conf)
  def streamEager(conf: SQLConf): Boolean = streamEagerSetting(conf)
  def streamKeyTimeoutMicros(conf: SQLConf): Option[Long] = streamKeyTimeoutSetting(conf)
  def streamLateRowsPath(conf: SQLConf): Option[String] = streamLateRowsSetting(conf)

  private def boolean(key: String, doc: String): Setting[Boolean] =
    Setting.withDefault(key, "true", Since, "true or false", doc)(_.toBoolean)

  /** Whether the second of two words is chosen; the first is the default. */
  private def choice(key: String, first: String, second: String, doc: String): Setting[Boolean] =
    Setting.withDefault(key, first, Since, s"$first or $second", doc)(
      _.toLowerCase(Locale.ROOT) match {
        case `first`  => false
        case `second` => true
        case other    => throw new IllegalArgumentException(other)
      },
      (chosen: Boolean) => if (chosen) second else first
    )

  private def atLeastOne(text: String): Long = {
    val number = text.toLong
    require(number >= 1)
    number
  }

  private def sizeText(bytes: Long): String =
    Seq("m" -> 20, "k" -> 10)
      .collectFirst { case (unit, bits) if bytes > 0 && bytes % (1 << bits) == 0 => s"${bytes >> bits}$unit" }
      .getOrElse(s"${bytes}b")

  private def positiveMicros(text: String): Long = {
    val interval = IntervalUtils.stringToInterval(UTF8String.fromString(text))
    val micros = IntervalUtils.getDuration(interval, TimeUnit.MICROSECONDS)
    require(micros > 0)
    micros
  }
}
