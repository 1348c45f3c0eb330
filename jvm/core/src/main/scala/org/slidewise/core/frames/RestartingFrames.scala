package org.slidewise.core.frames

/**
 * Frames in any order over an algorithm whose frames have to rise. When an end moves back, the algorithm starts afresh at the
 * new frame.
 *
 * Combines: those of `underlying`, and `hi - lo` more for each frame whose end has moved back. Memory: that of `underlying`. Use
 * it for frames that mostly rise, or whose algorithm has no alternative; [[TreeFrames]] costs less if many frames move back.
 *
 * Invariant, between calls:
 *   - R1: since the last reset of `underlying`, neither end of the frames has decreased, and the last frame is `lo until hi`.
 */
final class RestartingFrames(underlying: FrameAlgorithm) extends FrameAlgorithm {
  private[this] var lo, hi = 0L

  def slide(newLo: Long, newHi: Long): Int = {
    if (newLo < lo || newHi < hi) underlying.reset()
    lo = newLo
    hi = newHi
    underlying.slide(newLo, newHi)
  }

  def reset(): Unit = {
    lo = 0L
    hi = 0L
    underlying.reset()
  }
}
