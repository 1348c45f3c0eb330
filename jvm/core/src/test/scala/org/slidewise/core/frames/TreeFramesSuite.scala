package org.slidewise.core.frames

import scala.util.Random

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class TreeFramesSuite extends ScalaCheckSuite {

  private def check(states: Intervals, algorithm: FrameAlgorithm, frames: Seq[(Long, Long)]): Unit =
    for ((lo, hi) <- frames) assertEquals(states(algorithm.slide(lo, hi)), Intervals(lo, hi))

  private def checkSequences(states: Intervals, sequences: Seq[Seq[(Long, Long)]]): Unit = {
    val algorithm = new TreeFrames(states)
    for (frames <- sequences) {
      check(states, algorithm, frames)
      algorithm.reset()
    }
  }

  private val sequences: Gen[List[List[(Long, Long)]]] =
    Gen.listOfN(2, Gen.oneOf(0L, 1L, 15L, 50L, 1000L, 1L << 40).flatMap(UnorderedFrames.upTo))
  private val shortSequences = Gen.listOfN(2, Gen.oneOf(1L, 50L, 3000L).flatMap(UnorderedFrames.upTo))

  property("frames in any order, in sequences of any length") {
    forAll(shortSequences)(checkSequences(new Intervals, _))
  }

  property("memory for few states") {
    forAll(sequences, Gen.oneOf(0, 1, 2, 3, 5, 60)) { (sequences, capacity) =>
      val states = new Intervals(_ <= capacity)
      checkSequences(states, sequences)
      assert(states.reserved <= math.max(1, capacity))
    }
  }

  property("memory that is refused and states that outgrow it at random") {
    forAll(shortSequences, Gen.long, Gen.oneOf(2, 10, 100, 1000)) { (sequences, seed, every) =>
      val random = new Random(seed)
      val states = new Intervals(_ => random.nextInt(every) != 0, () => random.nextInt(every) == 0)
      checkSequences(states, sequences)
    }
  }

  /** The most combines of a frame in blocks of `block` elements whose nodes are known. */
  private def bound(lo: Long, hi: Long, block: Long): Double =
    2.0 * (block - 2) + 2 * math.log((hi - lo).toDouble / block + 2) / math.log(2)

  private def randomFrames(n: Long, count: Int, random: Random): Seq[(Long, Long)] =
    Seq.fill(count) {
      val ends = Seq.fill(2)((random.nextDouble() * (n + 1)).toLong)
      (ends.min, ends.max)
    }

  private val n = 100000L

  test("combines: at most 2(B - 2) + 2 log(n / B + 2) a frame, and n + n / B for the nodes") {
    val random = new Random(1)
    val states = new Intervals
    val algorithm = new TreeFrames(states)
    val nodes = states.combinesOf(algorithm.slide(0L, n))
    assert(nodes <= n + n / 16 + bound(0L, n, 16), nodes)
    for ((lo, hi) <- randomFrames(n, 2000, random) ++ randomFrames(300L, 2000, random)) {
      val combines = states.combinesOf(algorithm.slide(lo, hi))
      assert(combines <= bound(lo, hi, 16), s"[$lo, $hi): $combines")
    }
    assert(states.reserved <= 2 * n / 16 + 1, states.reserved)
  }

  test(
    "combines: the first frames cost little more than their elements, and all no more than the nodes once"
  ) {
    val states = new Intervals
    val algorithm = new TreeFrames(states)
    var bounds = 0.0
    for ((lo, hi) <- randomFrames(n, 500, new Random(2))) {
      val combines = states.combinesOf(algorithm.slide(lo, hi))
      assert(combines <= (hi - lo) * 17 / 16 + bound(lo, hi, 16), s"[$lo, $hi): $combines")
      bounds += bound(lo, hi, 16)
    }
    assert(states.combines <= n + n / 16 + bounds, states.combines)
  }

  test("frames that reach further by an element each time cost amortised constant combines for the nodes") {
    val random = new Random(3)
    val states = new Intervals
    val algorithm = new TreeFrames(states)
    var bounds = 0.0
    for (hi <- 1L to 20000L) {
      val lo = (random.nextDouble() * hi).toLong
      check(states, algorithm, Seq((lo, hi)))
      bounds += bound(lo, hi, 16)
    }
    assert(states.combines <= 20000 * 17 / 16 + bounds, states.combines)
  }

  test("the same frame again costs nothing") {
    val states = new Intervals
    val algorithm = new TreeFrames(states)
    for (frame <- Seq((0L, 0L), (7L, 500L), (500L, 500L))) {
      check(states, algorithm, Seq(frame))
      assertEquals(states.combinesOf(check(states, algorithm, Seq(frame, frame))), 0L)
    }
  }

  test("only elements of frames are read") {
    val states = new Intervals
    check(states, new TreeFrames(states), Seq((9000L, 9777L), (9001L, 9500L), (8000L, 8000L)))
    assertEquals((states.oldestRead, states.newestRead), (9000L, 9776L))
    assert(states.combines <= 777 * 17 / 16 + bound(9000L, 9777L, 16) + bound(9001L, 9500L, 16))
  }

  test("with a tenth of the memory, blocks are at most twice as large as fit, and the nodes are made twice") {
    val capacity = (n / 16 * 2 / 10).toInt
    val block = Iterator.iterate(16L)(_ * 2).find(block => 2 * (n / block) + 1 <= capacity).get
    val states = new Intervals(_ <= capacity)
    val algorithm = new TreeFrames(states)
    var bounds = 0.0
    for (hi <- n / 1000 to n by n / 1000; (from, until) <- randomFrames(hi, 2, new Random(hi))) {
      check(states, algorithm, Seq((from, until), (0L, hi)))
      bounds += bound(from, until, block) + bound(0L, hi, block)
    }
    assert(states.reserved <= capacity)
    assert(states.combines <= 2 * (n + n / 16) + bounds, states.combines)
    for ((lo, hi) <- randomFrames(n, 500, new Random(4))) {
      val combines = states.combinesOf(check(states, algorithm, Seq((lo, hi))))
      assert(combines <= bound(lo, hi, block), s"[$lo, $hi): $combines")
    }
  }

  test("without memory for two states each frame is recalculated, and none is read twice") {
    val states = new Intervals(_ <= 1)
    val algorithm = new TreeFrames(states)
    for ((lo, hi) <- randomFrames(5000L, 100, new Random(5)))
      assertEquals(states.combinesOf(check(states, algorithm, Seq((lo, hi)))), hi - lo)
  }

  test("after a frame whose operator has failed, the one before it is computed again") {
    var fails = false
    val states = new Intervals(outgrows = () => fails && sys.error("no combine"))
    val algorithm = new TreeFrames(states)
    check(states, algorithm, Seq((0L, 1000L)))
    fails = true
    intercept[RuntimeException](algorithm.slide(0L, 999L))
    fails = false
    check(states, algorithm, Seq((0L, 1000L), (0L, 999L)))
  }

  test("after a reset the positions start anew, with small blocks if there is memory again") {
    var capacity = 1
    val states = new Intervals(_ <= capacity)
    val algorithm = new TreeFrames(states)
    check(states, algorithm, Seq((0L, 1000L), (10L, 900L)))
    capacity = Int.MaxValue
    algorithm.reset()
    check(states, algorithm, Seq((0L, 1000L)))
    val combines = states.combinesOf(check(states, algorithm, Seq((10L, 900L))))
    assert(combines <= bound(10L, 900L, 16), combines)
    algorithm.reset()
    val again = states.combinesOf(check(states, algorithm, Seq((10L, 900L))))
    assert(again >= 890L, again)
  }
}
