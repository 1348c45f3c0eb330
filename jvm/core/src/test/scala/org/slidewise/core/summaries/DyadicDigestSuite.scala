package org.slidewise.core.summaries

class DyadicDigestSuite extends TimestampSuite[DyadicDigest] {
  protected def create(maxWidth: Long, epsilon: Double) = DyadicDigest.create(maxWidth, epsilon)
  protected def fromBytes(bytes: Array[Byte]) = DyadicDigest.fromBytes(bytes)
  protected val expectedWorst = ((0.9, 1.0), (0.85, 1.0))

  protected def worstBegins(summary: DyadicDigest) =
    summary.state._1.flatMap { case (end, log, _) => Seq(end - (1L << log) + 2, end, end + 1) }

  protected def checkInvariants(summary: DyadicDigest) = {
    val (nodes, shares) = summary.state
    val log = shares.length - 1
    if (log > 0) {
      val share = summary.epsilon / log
      val sideBySide = (1 + math.log(math.max(1, share * nodes.map(_._3).sum))) / share
      assert(
        nodes.size <= sideBySide + 1,
        s"${nodes.size} ranges, of which $sideBySide could be side by side"
      )
    }
    var right = Seq.empty[(Long, Int, Long)]
    for ((node @ (end, log, _), i) <- nodes.zipWithIndex) {
      val start = end - (1L << log) + 1
      val around = nodes.take(i + 1).filter { case (e, k, _) => e - (1L << k) + 1 <= start && e >= end }
      right = nodes.take(i).filter { case (e, k, _) => e - (1L << k) + 1 > end }
      if (log > 0)
        assert(around.map(_._3).sum <= shares(log) * right.map(_._3).sum * (1 + 1e-12), s"(D1): $node")
      if (i > 0) {
        val (before, logBefore, _) = nodes(i - 1)
        assert(before > end || before == end && logBefore > log, s"(D2): $node")
      }
      assertEquals(end + 1 >> log << log, end + 1, s"(D2): $node")
    }
  }

  test("a sum that reaches 2^62 is an error, by insertions and by merges, and no smaller one is") {
    val random = new scala.util.Random(7)
    val greatest = BigInt(1) << 62
    val results = for (_ <- 0 until 60) yield {
      val times = 1 + random.nextInt(3)
      val elements = 400 + random.nextInt(400)
      val values = Seq.fill(elements)((random.nextInt(times).toLong, (1L << 53) - random.nextInt(5)))
      val parts = values.grouped(1 + random.nextInt(2 * elements)).toSeq
      val exact = values.map(v => BigInt(v._2)).sum
      try {
        val sum = create(8, 0.25)
        parts
          .map { part =>
            val digest = create(8, 0.25)
            part.foreach { case (time, value) => digest.insert(time, value) }
            digest
          }
          .foreach(sum.merge)
        val estimate = fromBytes(sum.toBytes).query(8)
        assert(exact < greatest, s"$exact is no error but ${estimate.estimate}")
        assert(estimate.lower <= exact.toDouble && exact.toDouble <= estimate.upper, s"$exact: $estimate")
        true
      } catch {
        case overflow: ArithmeticException =>
          assert(exact >= greatest, s"$exact: $overflow")
          false
      }
    }
    assertEquals(results.toSet, Set(true, false))
  }

  test("of a million elements, ranges are few and within what is stated") {
    val (width, epsilon) = (1 << 20, 0.05)
    val random = new scala.util.Random(1)
    val inOrder = create(width.toLong, epsilon)
    val delayed = create(width.toLong, epsilon)
    val anywhere = create(width.toLong, epsilon)
    for (i <- 0 until 1 << 20) {
      inOrder.insert(i.toLong)
      delayed.insert(i - (-math.log(1 - random.nextDouble()) * 10000).toLong)
      anywhere.insert(random.nextInt(width).toLong)
    }
    val logs = math.log(epsilon * width)
    for (digest <- Seq(inOrder, delayed, anywhere)) {
      val clue = s"${digest.ranges} ranges, ${digest.bits} bits"
      assert(digest.ranges <= 3 * logs / epsilon, clue)
      assert(digest.bits <= 40 * digest.ranges, clue)
    }
  }
}
