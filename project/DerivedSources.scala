import org.slidewise.build.IdentifierRenaming
import sbt._

/**
 * Writes the sources of the core that differ from a hand-written model by identifiers only.
 *
 * Code over primitives must exist once for each type, or it boxes; a loop must exist once for each operator, or the call of
 * the operator is not inlined. One of each kind is written by hand, and the build derives the others from it.
 * [[org.slidewise.build.IdentifierRenaming]] fails the build if a model contains an identifier that a table does not cover.
 */
object DerivedSources {

  /** Model file (below `org/slidewise/core`, without `.scala`) to the renaming that makes each derived file of it. */
  private val models: Seq[(String, Seq[IdentifierRenaming])] = Seq(
    "DoubleAggregator" -> Seq(
      longs("DoubleAggregator", "InvertibleDoubleAggregator", "DoubleCells", "double", "doubles")()
    ),
    "windows/DoubleWindow" -> Seq(longs("DoubleWindow", "DoubleAggregator", "doubles")()),
    "operators/DoubleExtremeCount" -> Seq(
      longs("DoubleExtremeCount", "DoubleAggregator", "weakestDouble", "double")()
    ),
    "state/DoublePackedRing" -> Seq(
      longs("DoublePackedRing")(),
      IdentifierRenaming(Map("Double" -> "AnyRef", "DoublePackedRing" -> "AnyRefPackedRing"))
    ),
    "kernels/DoubleKernel" -> Seq(longs("DoubleKernel", "DoubleKernels")()),
    "kernels/DoubleSumRows" -> operators("Rows"),
    "kernels/DoubleSumFrames" -> operators("Frames"),
    "kernels/DoubleSumKernel" -> Seq("LongMax", "LongMin").map { operator =>
      longs("DoubleKernel")(operatorRenames(operator, "Rows", "Frames", "Kernel"): _*)
    },
    "kernels/DoubleMaxKernel" -> Seq(
      IdentifierRenaming(
        Map(
          "DoubleMaxKernel" -> "DoubleMinKernel",
          "DoubleMaxOp" -> "DoubleMinOp",
          "DoubleMaxRows" -> "DoubleMinRows",
          "DoubleMaxFrames" -> "DoubleMinFrames",
          "DoubleTotalMaxOp" -> "DoubleTotalMinOp",
          "DoubleTotalMaxRows" -> "DoubleTotalMinRows",
          "DoubleTotalMaxFrames" -> "DoubleTotalMinFrames"
        )
      )
    ),
    "kernels/DoubleArgMax" -> Seq(
      IdentifierRenaming(
        Map("DoubleArgMax" -> "DoubleArgMin", "DoubleTotalMaxOp" -> "DoubleTotalMinOp")
      ),
      longs()("DoubleArgMax" -> "LongArgMax", "DoubleTotalMaxOp" -> "LongMaxOp"),
      longs()("DoubleArgMax" -> "LongArgMin", "DoubleTotalMaxOp" -> "LongMinOp")
    )
  )

  /** From doubles to longs: `names` with the word replaced, and `others` as said. */
  private def longs(names: String*)(others: (String, String)*): IdentifierRenaming = IdentifierRenaming(
    Map("Double" -> "Long") ++ others ++
      names.map(name => name -> name.replace("Double", "Long").replace("double", "long"))
  )

  /** The derived files of a model over the operator `DoubleSumOp` that is named `DoubleSum` and `suffix`. */
  private def operators(suffix: String): Seq[IdentifierRenaming] =
    Seq("DoubleMax", "DoubleMin", "DoubleTotalMax", "DoubleTotalMin").map { operator =>
      IdentifierRenaming(operatorRenames(operator, suffix).toMap)
    } ++ Seq("LongMax", "LongMin").map(operator => longs()(operatorRenames(operator, suffix): _*))

  private def operatorRenames(operator: String, suffixes: String*): Seq[(String, String)] =
    ("Op" +: suffixes).map(suffix => s"DoubleSum$suffix" -> s"$operator$suffix")

  def apply(sources: File, into: File): Seq[File] =
    for {
      (model, renamings) <- models
      renaming <- renamings
    } yield {
      val source = sources / s"$model.scala"
      val name = source.base
      val derived = renaming.renames.getOrElse(name, sys.error(s"no name for what is derived of $source"))
      val text = renaming(IO.read(source)) match {
        case Right(renamed) => s"// Derived from $model.scala by the build: change that file.\n$renamed"
        case Left(problem)  => sys.error(s"cannot derive $derived from $source: the source $problem")
      }
      val target = into / model.stripSuffix(name) / s"$derived.scala"
      if (!target.exists || IO.read(target) != text) IO.write(target, text)
      target
    }
}
