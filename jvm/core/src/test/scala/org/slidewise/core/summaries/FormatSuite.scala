package org.slidewise.core.summaries

import java.util.HexFormat
import munit.FunSuite

/** Stored summaries of format version 1, which every later release must read. */
class FormatSuite extends FunSuite {
  private def bytes(hex: String): Array[Byte] = HexFormat.of.parseHex(hex)
  private def hex(bytes: Array[Byte]): String = HexFormat.of.formatHex(bytes)

  /** What each fixture was made from: 500 elements. */
  private def bit(i: Int): Boolean = i * i % 7 < 3
  private def number(i: Int): Long = (i * 37L) % 101
  private def filled[S](summary: S)(insert: (S, Int) => Unit): S = {
    for (i <- 0 until 500) insert(summary, i)
    summary
  }

  private def check(
      name: String,
      made: => WindowSummary,
      read: Array[Byte] => WindowSummary,
      stored: String
  ): Unit =
    test(s"$name, version 1") {
      val now = made
      assertEquals(hex(now.toBytes), stored)
      val again = read(bytes(stored))
      assertEquals((again.estimate, again.lower, again.upper), (now.estimate, now.lower, now.upper))
    }

  check(
    "AdditiveCount",
    filled(AdditiveCount.create(300, 0.05))((s, i) => s.insert(bit(i))),
    AdditiveCount.fromBytes,
    "0101ac029a9999999999a93f746b17"
  )
  check(
    "AdditiveSum in blocks",
    filled(AdditiveSum.create(300, 100, 0.05))((s, i) => s.insert(number(i))),
    AdditiveSum.fromBytes,
    "0102ac0200000000000059409a9999999999a93f6401001eb4f35505"
  )
  check(
    "AdditiveSum in cells",
    filled(AdditiveSum.createReal(50, 100.0, 0.004))((s, i) => s.insert(number(i) / 1.25)),
    AdditiveSum.fromBytes,
    "0102320000000000005940fca9f1d24d62703f80080002d602022d9324d32a6924c93249b24612"
  )
  check(
    "RangeSum",
    filled(RangeSum.create(300, -1, 101, 0.05))((s, i) => s.insert(number(i) - 0.5)),
    RangeSum.fromBytes,
    "0103000000000000f0bf0000000000405940ac0200000000008059409a9999999999a93f400000192c41" +
      "685515"
  )
  check(
    "ExactCount",
    filled(ExactCount.create(50))((s, i) => s.insert(bit(i))),
    ExactCount.fromBytes,
    "01043276bbdd6eb7db01"
  )
  check(
    "ExactSum",
    filled(ExactSum.create(10, 100))((s, i) => s.insert(number(i))),
    ExactSum.fromBytes,
    "01050a64332ca627161d0fac28"
  )
  check(
    "ExponentialHistogram",
    filled(ExponentialHistogram.create(300, 0.2))((s, i) => s.insert(bit(i))),
    ExponentialHistogram.fromBytes,
    "0106ac02019a9999999999c93f051b2020c0142028300c131a10088d141e8627cc125244b7cb11"
  )
  check(
    "ExponentialHistogram of sums",
    filled(ExponentialHistogram.create(300, 100, 0.5))((s, i) => s.insert(number(i))),
    ExponentialHistogram.fromBytes,
    "0106ac0264000000000000e03f0d0110000001000840000400a000161820030445884330c2922a"
  )
  check(
    "DeterministicWave",
    filled(DeterministicWave.create(300, 100, 0.5))((s, i) => s.insert(number(i))),
    DeterministicWave.fromBytes,
    "0107ac0264000000000000e03fa561c120ae1f696ca10a30441b749889f621c400b0d045705464218224" +
      "868e0211b646d6c6ab220063325159e1882098c83b604130190e1c080b360cca048004da012582de20f7" +
      "805fe061b0284029781134109006ae0718039702ed8030816540680021c028a00f600810055801000040" +
      "01"
  )

  private def checkTimes[S <: TimestampSummary[S]](
      name: String,
      made: => S,
      read: Array[Byte] => S,
      stored: String
  ) =
    test(s"$name, version 1") {
      val now = filled(made)((s, i) => s.insert(i * 3L % 400, number(i)))
      val part = filled(made)((s, i) => s.insert(i + 5L))
      now.merge(part)
      now.insert(3)
      assertEquals(hex(now.toBytes), stored)
      val again = read(bytes(stored))
      assertEquals((again.clock, again.late), (now.clock, now.late))
      for (width <- Seq(0L, 1L, now.maxWidth / 2, now.maxWidth))
        assertEquals(again.query(width).toString, now.query(width).toString)
    }

  checkTimes[DyadicDigest](
    "DyadicDigest",
    DyadicDigest.create(200, 0.5),
    DyadicDigest.fromBytes,
    "0108c801000000000000e03ff801000000000000c80119401024c81011312246c48c1090302061504241" +
      "0905c0822720b485d01ac2b310044b045111c178987060626c47308324a8872538ff4a702a03"
  )
  checkTimes[SplittableHistogram](
    "SplittableHistogram",
    SplittableHistogram.create(3, 0.9),
    SplittableHistogram.fromBytes,
    "010903cdccccccccccec3ff801000000000000ed02cc08401888888888888888fec10f00000000000000" +
      "20c044229100"
  )

  test("bytes that are no summary, another's, of another version or cut short") {
    def message(bytes: Array[Byte]) =
      intercept[IllegalArgumentException](AdditiveCount.fromBytes(bytes)).getMessage
    val stored = AdditiveCount.create(300, 0.05).toBytes
    assertEquals(message(ExactCount.create(5).toBytes), "bytes holds ExactCount: it must hold AdditiveCount")
    assertEquals(
      message(Array[Byte](1, 99)),
      "bytes holds an unknown kind of summary (99): it must hold AdditiveCount"
    )
    assertEquals(
      message(2.toByte +: stored.tail),
      "bytes has format version 2: this release reads versions 1 to 1"
    )
    for (length <- stored.indices) {
      val expected = s"bytes ends after $length bytes: it must be a whole summary as toBytes made it"
      assertEquals(message(stored.take(length)), expected)
    }
  }

  test("bytes that would take much memory, or violate an invariant, are refused") {
    def refused(hex: String)(read: Array[Byte] => Any) = intercept[IllegalArgumentException](read(bytes(hex)))
    // 2^30 marks are announced, and none is there.
    refused("0101" + "8080808004" + "3a8c30e28e79453e" + "00")(AdditiveCount.fromBytes)
    refused("0104" + "8080808004")(ExactCount.fromBytes)
    // A width of 0, an element that is older than the window, and more ranges than bits.
    refused("0108" + "00" + "3333333333" + "33d33f" + "0000000000000080" + "00" + "00")(
      DyadicDigest.fromBytes
    )
    refused("0107ac02019a9999999999c93ff1c44301010302040000")(DeterministicWave.fromBytes)
    refused("0108c801000000000000e03ff80100000000000000" + "ffffffffffffff7f")(DyadicDigest.fromBytes)
    // The arrays of a wave of that size would take 700 MB.
    refused("0107" + "808080808020" + "01" + "000000000000b03e")(DeterministicWave.fromBytes)
    refused("0106" + "808080808020" + "01" + "000000000000b03e" + "00")(ExponentialHistogram.fromBytes)
  }
}
