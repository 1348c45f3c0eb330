package org.slidewise.core

/** An operator whose states take `width` cells and leave those unused that they do not need. */
final class Widened[S, In, Out](of: InPlaceAggregator[S, In, Out], override val width: Int)
    extends Delegating[S, In, Out](of)
