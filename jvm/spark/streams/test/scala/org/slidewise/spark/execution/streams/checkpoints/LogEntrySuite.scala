package org.slidewise.spark.execution.streams.checkpoints

import munit.FunSuite
import org.slidewise.spark.errors.CorruptState

class LogEntrySuite extends FunSuite {
  private val text = "v1\n{\"batchWatermarkMs\":5,\"conf\":{\"a\":\"1\",\"b\":\"x\"}}\n{\"logOffset\":0}\n-"

  test("an entry keeps what it does not change") {
    val entry = LogEntry.of(text, "file")
    assertEquals(entry.text, text)
    assertEquals(entry.settings, Map("a" -> "1", "b" -> "x"))
    val changed = entry.withSettings(Map("a" -> "2", "c" -> "3"))
    assertEquals(changed.settings, Map("a" -> "2", "b" -> "x", "c" -> "3"))
    assertEquals(changed.rest, "\n{\"logOffset\":0}\n-")
    assertEquals(entry.text, text)
  }

  test("an entry without further lines, and with identifiers of stores") {
    val commit =
      LogEntry.of("v2\n{\"nextBatchWatermarkMs\":1,\"stateUniqueIds\":{\"0\":[[\"x\"],[\"y\"]]}}", "file")
    assertEquals(commit.storeIds(0), Some(Seq("x", "y")))
    assertEquals(commit.storeIds(1), None)
    assertEquals(LogEntry.of("v1\n{\"stateUniqueIds\":null}", "file").storeIds(0), None)
  }

  for (damaged <- Seq("", "v1", "v1\n", "v1\n[]", "v1\n{\"a\"", "1\n{}", "unfinished: x", "vv\n{}", "\n\n"))
    test(s"'${damaged.replace("\n", "\\n")}' is refused in words") {
      val refused = intercept[CorruptState](LogEntry.of(damaged, "the file"))
      assert(refused.what.startsWith("the file"), refused.what)
    }
}
