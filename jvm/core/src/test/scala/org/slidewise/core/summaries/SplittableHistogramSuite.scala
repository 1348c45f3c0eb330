package org.slidewise.core.summaries

class SplittableHistogramSuite extends TimestampSuite[SplittableHistogram] {
  protected def create(maxWidth: Long, epsilon: Double) = SplittableHistogram.create(maxWidth, epsilon)
  protected def fromBytes(bytes: Array[Byte]) = SplittableHistogram.fromBytes(bytes)

  /** Half of ε is left for merging. */
  protected val expectedWorst = ((0.4, 0.5), (0.35, 1.0))

  protected def worstBegins(summary: SplittableHistogram) = {
    val (log, _, intervals) = summary.state
    for (interval <- intervals; level <- interval.all; i <- 0 until level.buckets.size; offset <- Seq(0, 1))
      yield (interval.index << log) + level.buckets.start(i) + offset
  }

  protected def checkInvariants(summary: SplittableHistogram) = {
    val (log, most, intervals) = summary.state
    for (interval <- intervals; level <- interval.all) {
      val buckets = level.buckets
      val starts = (0 until buckets.size).map(buckets.start)
      val sizes = starts.zip(starts.drop(1) :+ (1L << log)).map { case (from, until) => until - from }
      assert(buckets.size <= most, "(B3)")
      if (level.level == 0)
        assert(starts.zip(starts.drop(1)).forall { case (older, newer) => older < newer }, "level 0")
      else {
        assertEquals(starts.head, level.discarded + 1, "(B1)")
        for (i <- starts.indices) {
          assert(java.lang.Long.bitCount(sizes(i)) == 1 && starts(i) % sizes(i) == 0, s"(B1): $starts")
          val weight = buckets.weight(i)
          if (sizes(i) > 1) assert(weight < (2L << level.level), s"(B2): $weight")
          if (sizes(i) < (1L << log)) assert(weight >= (1L << level.level), s"(B2): $weight")
        }
      }
      val weight = (0 until buckets.size).map(buckets.weight).sum
      assert(if (level.discarded < 0) weight == interval.total else weight < interval.total, "(I1)")
    }
  }

  test("a value of v is as v elements of 1 (Theorem 3)") {
    val random = new scala.util.Random(4)
    for (width <- Seq(1, 2, 64, 1000); epsilon <- Seq(0.9, 0.3)) {
      val (atOnce, one) = (create(width.toLong, epsilon), create(width.toLong, epsilon))
      for (i <- 0 until 1500) {
        val time = i / 4 - random.nextInt(width)
        val value = if (random.nextInt(40) == 0) random.nextInt(3000).toLong else random.nextInt(4).toLong
        atOnce.insert(time.toLong, value)
        if (value == 0) one.advanceTo(time.toLong)
        for (_ <- 0L until value) one.insert(time.toLong)
        if (i % 100 == 99) assertEquals(atOnce.query(width / 2L).toString, one.query(width / 2L).toString)
      }
      assertEquals(levels(atOnce), levels(one))
    }
  }

  private def levels(summary: SplittableHistogram) =
    summary.state._3.map(_.all.map { level =>
      (
        level.discarded,
        (0 until level.buckets.size).map(i => (level.buckets.start(i), level.buckets.weight(i)))
      )
    })

  test("⌈log B⌉ + 1 levels of α buckets, and bits within Theorem 2's bound") {
    val (width, epsilon) = (1 << 12, 0.1)
    val summary = create(width.toLong, epsilon)
    val alpha = math.ceil(13 * 2.1 / 0.1)
    for (i <- 0 until 1 << 16) summary.insert(i % width.toLong)
    val (_, most, intervals) = summary.state
    assertEquals(most, alpha.toInt)
    assertEquals(intervals.map(_.depth), Seq(17))
    assert(summary.buckets <= 17 * alpha)
    assert(summary.bits <= 17 * alpha * (12 + 17), s"${summary.bits} bits")
  }
}
