package org.slidewise.core

/**
 * Adapts an [[Aggregator]] over objects to [[InPlaceAggregator]]: each state is one reference.
 *
 * Allocates nothing beyond the allocations of the wrapped operator.
 */
sealed class ObjectAggregator[In, Agg, Out] private[core] (aggregator: Aggregator[In, Agg, Out])
    extends InPlaceAggregator[Array[AnyRef], In, Out] {

  override def commutative: Boolean = aggregator.commutative
  override def selective: Boolean = aggregator.selective
  override def stateBytes: Long = aggregator.stateBytes
  override def width: Int = 1

  override def allocate(cells: Int): Array[AnyRef] = new Array[AnyRef](cells)

  override def identity(to: Array[AnyRef], at: Int): Unit = write(to, at, aggregator.identity)

  override def lift(in: In, to: Array[AnyRef], at: Int): Unit = write(to, at, aggregator.lift(in))

  override def combine(
      to: Array[AnyRef],
      at: Int,
      older: Array[AnyRef],
      olderAt: Int,
      newer: Array[AnyRef],
      newerAt: Int
  ): Unit = write(to, at, aggregator.combine(read(older, olderAt), read(newer, newerAt)))

  override def copy(to: Array[AnyRef], at: Int, from: Array[AnyRef], fromAt: Int): Unit = to(at) = from(
    fromAt
  )

  override def lower(from: Array[AnyRef], at: Int): Out = aggregator.lower(read(from, at))

  override def clear(cells: Array[AnyRef], at: Int): Unit = cells(at) = null

  protected final def read(cells: Array[AnyRef], at: Int): Agg = cells(at).asInstanceOf[Agg]

  protected final def write(cells: Array[AnyRef], at: Int, agg: Agg): Unit = cells(at) =
    agg.asInstanceOf[AnyRef]
}

private[core] final class InvertibleObjectAggregator[In, Agg, Out](
    aggregator: InvertibleAggregator[In, Agg, Out]
) extends ObjectAggregator[In, Agg, Out](aggregator)
    with Invertible[Array[AnyRef]] {

  override def subtract(
      to: Array[AnyRef],
      at: Int,
      whole: Array[AnyRef],
      wholeAt: Int,
      oldest: Array[AnyRef],
      oldestAt: Int
  ): Unit = write(to, at, aggregator.subtract(read(whole, wholeAt), read(oldest, oldestAt)))
}

object ObjectAggregator {

  /** Adapts `aggregator`. */
  def of[In, Agg, Out](aggregator: Aggregator[In, Agg, Out]): ObjectAggregator[In, Agg, Out] =
    new ObjectAggregator(aggregator)

  /** Adapts `aggregator` and its `subtract`. */
  def invertible[In, Agg, Out](
      aggregator: InvertibleAggregator[In, Agg, Out]
  ): InPlaceAggregator[Array[AnyRef], In, Out] with Invertible[Array[AnyRef]] =
    new InvertibleObjectAggregator(aggregator)
}
