import sbt._

/** The suites of a plugin project: which of them a short run has, and in which of its three JVMs, of which two run at the same time. */
object TestGroups {

  /**
   * Whether a short run has this suite on this Spark; `SLIDEWISE_ALL_SUITES` asks for all. The newest Spark has all suites. Of the
   * others that have the suite, one runs it: the suite's name says which. `SLIDEWISE_HALF` asks for a half of the suites of these
   * others: any text, such as a commit, says which half.
   *
   * @param streams
   *   the folder of the code that only some Sparks have
   */
  def inShortRun(spark: SparkBuild, streams: File)(suite: String): Boolean = {
    val name = suite.split('.').last
    val isOfStreams = (streams ** s"$name.scala").get.nonEmpty
    val others =
      SparkBuild.all.filter(other => other != SparkBuild.ofPyspark && (other.hasStreams || !isOfStreams))
    val hash = Math.floorMod(suite.hashCode, 2 * others.size)
    def isInHalf =
      sys.env.get("SLIDEWISE_HALF").forall(text => hash / others.size == Math.floorMod(text.hashCode, 2))
    spark == SparkBuild.ofPyspark || others(hash % others.size) == spark && isInHalf
  }

  /** Suites in which a few loops run for long. In the others, most queries run once. */
  private val Loops = Set(
    "ExternalSort",
    "LargeStates",
    "LittleMemory",
    "LittleOffHeapMemory",
    "MultisetResult",
    "OffHeapMultisetResult",
    "PresortedArrays",
    "Runs",
    "Splitters",
    "TopRowsSelection"
  ).map(_ + "Suite")

  /** A query that runs once takes less time than the second compiler takes for it. */
  private val OneCompiler = Vector("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")

  def of(suites: Seq[TestDefinition], options: ForkOptions): Seq[Tests.Group] = {
    val (loops, queries) = suites.partition(suite => Loops(suite.name.split('.').last))
    def group(name: String, suites: Seq[TestDefinition], more: Vector[String]) =
      Tests.Group(name, suites, Tests.SubProcess(options.withRunJVMOptions(options.runJVMOptions ++ more)))
    val halves = queries.groupBy(suite => Math.floorMod(suite.name.hashCode, 2)).toSeq.sortBy(_._1)
    // The longer groups first.
    halves.map { case (half, suites) => group(s"queries $half", suites, OneCompiler) } :+
      group("loops", loops, Vector.empty)
  }
}
