package org.slidewise.core.summaries

import scala.util.{Failure, Success, Try}

import org.slidewise.fuzz.{Mutations, MutationSuite}

/**
 * Damaged summaries: each reader answers or throws an IllegalArgumentException with a message, within the allocation that
 * [[Format]] states. What it answers works like any other summary.
 */
class DamagedBytesSuite extends MutationSuite {

  /** A kind of summary: its reader, and what works on all that it reads. */
  private case class Kind[S](
      name: String,
      read: Array[Byte] => S,
      toBytes: S => Array[Byte],
      ownBytes: S => Long,
      use: S => Unit,
      valid: Seq[S]
  ) {
    val stored: IndexedSeq[Array[Byte]] = valid.map(toBytes).toIndexedSeq
  }

  private def filled[S](summary: S, times: Int)(insert: (S, Int) => Unit): S = {
    for (i <- 0 until times) insert(summary, i)
    summary
  }

  private def numbers[S <: WindowSummary](name: String, read: Array[Byte] => S)(
      insert: (S, Int) => Unit
  )(empty: (() => S)*): Kind[S] = Kind[S](
    name,
    read,
    _.toBytes,
    _.heapBytes,
    summary => {
      for (i <- 0 until 100) insert(summary, i)
      assert(summary.lower <= summary.upper, summary)
    },
    for (make <- empty; times <- Seq(0, 7, 1000)) yield filled(make(), times)(insert)
  )

  private def counts(name: String, read: Array[Byte] => CountSummary)(empty: (() => CountSummary)*) =
    numbers(name, read)((s, i) => s.insert(i * i % 7 < 3))(empty: _*)

  private def times[S <: TimestampSummary[S]](name: String, read: Array[Byte] => S)(
      empty: () => S*
  ): Kind[S] = {
    def insert(summary: S, i: Int): Unit = summary.insert(i * 3L % 400, i * 37L % 101)
    def filledTwice(make: () => S) = {
      val all = filled(make(), 600)(insert)
      all.merge(filled(make(), 300)((s, i) => s.insert(i + 50L)))
      filled(all, 20)((s, i) => s.insert(400L + i))
    }
    Kind[S](
      name,
      read,
      _.toBytes,
      _ => 0L,
      summary => useTimes(summary, read),
      for (
        make <- empty;
        s <- Seq(make(), filled(make(), 1)(insert), filled(make(), 700)(insert), filledTwice(make))
      )
        yield s
    )
  }

  private def useTimes[S <: TimestampSummary[S]](summary: S, read: Array[Byte] => S): Unit = try {
    val clock = if (summary.clock == Long.MinValue) 0L else summary.clock
    for (width <- Seq(0L, 1L, summary.maxWidth / 2, summary.maxWidth)) summary.query(width)
    val now = math.min(Clock.MaxTime, clock + 3)
    for (
      time <- Seq(
        clock,
        math.max(-Clock.MaxTime, clock - 1),
        math.max(-Clock.MaxTime, clock - summary.maxWidth),
        now
      )
    )
      summary.insert(time, 5L)
    summary.merge(read(summary.toBytes))
    summary.advanceTo(math.min(Clock.MaxTime, now + summary.maxWidth / 2))
    summary.query(summary.maxWidth)
    ()
  } catch {
    case e: ArithmeticException => assert(e.getMessage != null)
  }

  private val kinds: Seq[Kind[_]] = Seq(
    counts("AdditiveCount", AdditiveCount.fromBytes)(
      () => AdditiveCount.create(300, 0.05),
      () => AdditiveCount.create(1L << 40, 0.01)
    ),
    numbers[AdditiveSum]("AdditiveSum", AdditiveSum.fromBytes) { (s, i) =>
      s.insert(math.min(i % 10L, s.upperBound.toLong))
    }(
      () => AdditiveSum.create(300, 9, 0.05),
      () => AdditiveSum.create(300, 9, 0.001),
      () => AdditiveSum.createReal(50, 100.0, 0.004),
      () => AdditiveSum.create(1000, 1L << 53, 0.1)
    ),
    numbers[RangeSum]("RangeSum", RangeSum.fromBytes)((s, i) => s.insert(if (i % 3 == 0) s.low else s.high))(
      () => RangeSum.create(300, -1, 101, 0.05)
    ),
    counts("ExactCount", ExactCount.fromBytes)(() => ExactCount.create(50)),
    numbers[ExactSum]("ExactSum", ExactSum.fromBytes)((s, i) => s.insert(i % (s.upperBound + 1)))(() =>
      ExactSum.create(60, 100)
    ),
    numbers[ExponentialHistogram]("ExponentialHistogram", ExponentialHistogram.fromBytes)((s, i) =>
      s.insert(i % (s.upperBound + 1))
    )(
      () => ExponentialHistogram.create(300, 0.2),
      () => ExponentialHistogram.create(300, 100, 0.5),
      () => ExponentialHistogram.create(1, 1000, 0.01)
    ),
    numbers[DeterministicWave]("DeterministicWave", DeterministicWave.fromBytes)((s, i) =>
      s.insert(i % (s.upperBound + 1))
    )(
      () => DeterministicWave.create(300, 0.2),
      () => DeterministicWave.create(300, 100, 0.5),
      () => DeterministicWave.create(1, 1000, 0.01)
    ),
    times[DyadicDigest]("DyadicDigest", DyadicDigest.fromBytes)(
      () => DyadicDigest.create(200, 0.1),
      () => DyadicDigest.create(1, 0.5),
      () => DyadicDigest.create(1L << 60, 0.3)
    ),
    times[SplittableHistogram]("SplittableHistogram", SplittableHistogram.fromBytes)(
      () => SplittableHistogram.create(200, 0.5),
      () => SplittableHistogram.create(1, 0.9),
      () => SplittableHistogram.create(1L << 40, 0.9)
    )
  )

  private val everything = kinds.flatMap(_.stored).toIndexedSeq

  for (kind <- kinds) test(s"${kind.name}: damaged bytes are refused in words or answer")(check(kind))

  private def check[S](kind: Kind[S]): Unit = {
    val mutations = new Mutations(kind.name.hashCode.toLong, everything, header = 2)
    var (answers, errors, most) = (0, 0, 0.0)
    kind.stored.foreach(bytes => assertEquals(kind.toBytes(kind.read(bytes)).toSeq, bytes.toSeq))
    for (i <- 0 until Mutations.count / kinds.size) {
      val bytes = mutations.next(kind.stored(i % kind.stored.size))
      def shown = bytes.map(b => f"$b%02x").mkString
      val (result, allocated) = Mutations.allocating(Try(kind.read(bytes)))
      val own = result match {
        case Success(summary) =>
          answers += 1
          val own = kind.ownBytes(summary)
          try {
            kind.use(summary)
            kind.toBytes(kind.read(kind.toBytes(summary)))
          } catch {
            case e: Throwable => throw new AssertionError(s"${kind.name} read from $shown fails: $e", e)
          }
          own
        case Failure(e: IllegalArgumentException) =>
          errors += 1
          assert(e.getMessage != null && e.getMessage.contains(" "), s"$shown: $e")
          if (kind.ownBytes(kind.valid.head) > 0) Arguments.MaxHeap else 0L
        case Failure(e) => throw new AssertionError(s"${kind.name} of $shown throws $e", e)
      }
      val limit = Format.AllocationPerByte.toLong * bytes.length + Format.AllocationOfAny + own * 5 / 4
      most = math.max(most, allocated.toDouble / limit)
      assert(
        allocated <= limit,
        s"${kind.name} of $shown allocates $allocated bytes, and at most $limit are stated"
      )
    }
    println(f"fuzz: ${kind.name}: $answers answers, $errors errors, $most%.2f of the stated allocation")
    assert(answers > 0 && errors > 0)
  }
}
