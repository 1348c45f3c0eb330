package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.plan.{Identity, RowWisePlan, SlidingWindowPlan, WindowIdentity}

/**
 * A window over a stream as its checkpoint records it.
 *
 * @param frames
 *   the frames in the order of their sections of the state; the functions in the order of their fields
 * @param input
 *   the columns of the rows that wait, in their order
 */
final private[streams] case class StoredWindow(
    frames: Seq[StoredFrame],
    partitionBy: Seq[StoredInput],
    orderBy: Identity,
    input: Seq[StoredInput],
    mode: String
) extends StoredState {

  /**
   * The places of the parts of this window in `stored`.
   *
   * @return
   *   none if `stored` is another window; windows that differ only in the order of expressions, frames or columns are the same
   */
  def layoutIn(stored: StoredWindow): Option[StateLayout] =
    for {
      _ <- Option.when(context == stored.context)(())
      columns <- StoredWindow.places(stored.input, input)(_.identity)
      frameOrder <- StoredWindow.places(stored.frames, frames)(_.identity)
    } yield StateLayout(
      columns,
      stored.frames.zip(frameOrder).map { case (kept, index) =>
        FrameLayout(index, StoredWindow.places(kept.functions, frames(index).functions)(_.identity).get)
      }
    )

  private def context = (partitionBy.map(_.identity), orderBy.canonical, mode)

  override def canonical: String = Seq(
    frames
      .map(frame => s"${frame.functions.map(_.identity).mkString(", ")} over ${frame.frame.canonical}")
      .mkString("; "),
    partitionBy.map(_.identity).mkString(", "),
    orderBy.canonical,
    input.map(_.identity).mkString(", "),
    mode
  ).mkString(" | ")

  /** This window in the order of `layout`. */
  def in(layout: StateLayout): StoredWindow = copy(
    frames = layout.frames.map { place =>
      val frame = frames(place.frame)
      frame.copy(functions = place.functions.map(frame.functions))
    },
    input = layout.columns.map(input)
  )

  override def toString: String =
    s"${frames.mkString("; ")} PARTITION BY ${partitionBy.map(_.column.sql).mkString(", ")} ORDER BY $orderBy OF ${input.mkString(", ")} " +
      s"IN MODE $mode"
}

/**
 * The order of the parts of a query's window in the state.
 *
 * @param columns
 *   the ordinals of the input's columns
 */
final private[streams] case class StateLayout(columns: Seq[Int], frames: Seq[FrameLayout]) {

  def input(attributes: Seq[Attribute]): Seq[Attribute] = columns.map(attributes)

  def framesOf(plan: SlidingWindowPlan): SlidingWindowPlan = {
    val stored = frames.map { place =>
      val frame = plan.rowWise.frames(place.frame)
      frame.copy(aggregates = place.functions.map(frame.aggregates))
    }
    plan.copy(rowWise = plan.rowWise.copy(frames = stored))
  }
}

private[streams] object StateLayout {

  /** The order of the query. */
  def of(window: StoredWindow): StateLayout = StateLayout(
    window.input.indices,
    window.frames.zipWithIndex.map { case (frame, i) => FrameLayout(i, frame.functions.indices) }
  )
}

/** The ordinal of a frame in the query, and the ordinals of its functions. */
final private[streams] case class FrameLayout(frame: Int, functions: Seq[Int])

private[streams] object StoredWindow {

  /**
   * For each element of `stored`, the ordinal of an equal element of `found`, each used once. None if `stored` and `found` do not
   * have the same elements.
   */
  private def places[A](stored: Seq[A], found: Seq[A])(key: A => Any): Option[Seq[Int]] =
    Option.when(stored.size == found.size)(stored).flatMap {
      _.foldLeft(Option(Vector.empty[Int])) { (used, wanted) =>
        used.flatMap { places =>
          val next = found.indices.find(i => !places.contains(i) && key(found(i)) == key(wanted))
          next.map(places :+ _)
        }
      }
    }

  /** The window of a query, the same in each of its runs. */
  def of(
      plan: SlidingWindowPlan,
      input: Seq[Attribute],
      mode: String,
      identity: WindowIdentity
  ): StoredWindow = {
    val columns = new StoredColumns(identity.columns.get)
    val owners = ownersOf(plan.rowWise, identity.functions)
    StoredWindow(
      plan.rowWise.frames.map(frame =>
        StoredFrame(
          columns.frame(frame.frame),
          StoredFrame.stateOf(frame),
          frame.aggregates.map { a =>
            val (owner, part) = owners.getOrElse(a.answer, (columns.function(a), 0))
            columns.stored(owner, part, a.description, a.guard.map(_.function))
          }
        )
      ),
      plan.partitionSpec.map(columns.input),
      columns.identity(plan.eventTimeOrder.child),
      input.map(columns.input),
      mode
    )
  }

  /** For each answer, the function of the query to which the answer belongs, and its place among the answers of that function. */
  private def ownersOf(plan: RowWisePlan, functions: Map[ExprId, Identity]): Map[Int, (Identity, Int)] = {
    val answers = plan.answers.zipWithIndex.map { case (a, i) => a.exprId -> i }.toMap
    plan.results.flatMap { result =>
      val own = result.collect { case a: Attribute if answers.contains(a.exprId) => answers(a.exprId) }
      functions.get(result.exprId).toSeq.flatMap { owner =>
        own.distinct.sorted.zipWithIndex.map { case (answer, part) => answer -> (owner, part) }
      }
    }.toMap
  }
}
