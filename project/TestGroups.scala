import sbt._

/** The suites of a plugin project in two JVMs, which run at the same time. */
object TestGroups {

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
    // The longer group first.
    Seq(group("queries", queries, OneCompiler), group("loops", loops, Vector.empty))
  }
}
