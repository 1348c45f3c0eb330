import sbt._

/**
 * Writes the sources of the core that differ from a hand-written one by the names of the operator and of the element type
 * only.
 *
 * What is to box nothing must exist once for each type, and a loop that is to run at the speed of the machine must have the
 * operator compiled into it, and so must exist once for each operator too. One of each kind is written (and formatted,
 * compiled and read) as any other source; the rest is that file with other names in it.
 */
object DerivedSources {

  private val longs = Seq("DoubleTotal" -> "Long", "Double" -> "Long", "double" -> "long")

  /** Model file (below `org/slidewise/core`, without `.scala`) to the renamings that make each derived file of it. */
  private val models: Seq[(String, Seq[Seq[(String, String)]])] = {
    val doubleExtremes =
      Seq("DoubleMax", "DoubleMin", "DoubleTotalMax", "DoubleTotalMin").map(operator =>
        Seq("DoubleSum" -> operator)
      )
    val longExtremes = Seq("LongMax", "LongMin").map(operator => ("DoubleSum" -> operator) +: longs)
    val maxToMin = Seq("Max" -> "Min")
    Seq(
      "DoubleAggregator" -> Seq(longs),
      "DoubleWindow" -> Seq(longs),
      "operators/DoubleExtremeCount" -> Seq(longs),
      "state/DoublePackedRing" -> Seq(longs, Seq("Double" -> "AnyRef")),
      "kernels/DoubleKernel" -> Seq(longs),
      "kernels/DoubleSumRows" -> (doubleExtremes ++ longExtremes),
      "kernels/DoubleSumFrames" -> (doubleExtremes ++ longExtremes),
      "kernels/DoubleSumKernel" -> longExtremes,
      "kernels/DoubleMaxKernel" -> Seq(maxToMin),
      "kernels/DoubleArgMax" -> Seq(maxToMin, longs, maxToMin ++ longs)
    )
  }

  def apply(sources: File, into: File): Seq[File] =
    for {
      (model, derivations) <- models
      renamings <- derivations
    } yield {
      val rename = (text: String) => renamings.foldLeft(text) { case (t, (from, to)) => t.replace(from, to) }
      val target = into / s"${rename(model)}.scala"
      val text = s"// Derived from $model.scala by the build: change that file.\n" + rename(
        IO.read(sources / s"$model.scala")
      )
      if (!target.exists || IO.read(target) != text) IO.write(target, text)
      target
    }
}
