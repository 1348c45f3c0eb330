package org.slidewise.core

/** Pads the states of an operator to `width` cells. */
final class Widened[S, In, Out](of: InPlaceAggregator[S, In, Out], override val width: Int)
    extends Delegating[S, In, Out](of)
