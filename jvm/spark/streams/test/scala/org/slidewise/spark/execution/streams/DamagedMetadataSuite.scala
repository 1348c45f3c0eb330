package org.slidewise.spark.execution.streams

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.fuzz.{Mutations, MutationSuite}
import org.slidewise.spark.errors.CorruptState

/** Damaged files beside the state: each is refused in words, or read as a window, within the allocation that is stated here. */
class DamagedMetadataSuite extends MutationSuite {
  // Opening a file takes Hadoop milliseconds.
  private val Fewer = 200

  private val AllocationPerByte = 2000L
  private val AllocationOfAny = 2L << 20

  private val window = StoredWindow(
    Seq(
      StoredFrame(
        "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
        StoredFrame.Buffers,
        Seq(StoredFunction("sum(n)", "Sum", Seq(StoredColumn("sum", "BIGINT")), Some("object"), Nil))
      )
    ),
    Seq("k"),
    "ts ASC",
    Seq(StoredColumn("k", "STRING"), StoredColumn("ts", "TIMESTAMP")),
    "append"
  )
  private def text = StoredWindow.Text("sum(n) OVER w", Map("a" -> "b"))

  test("damaged files are refused in words, or read as a window") {
    val folder = Files.createTempDirectory("damaged")
    val operator = new Path(folder.toString)
    def metadata = new WindowMetadata(operator, new Configuration, "4.3.0")
    metadata.agree(window, text, 0)
    val file = folder.resolve("_slidewise/window.json")
    // Hadoop checks a file's bytes against this one.
    Files.deleteIfExists(folder.resolve("_slidewise/.window.json.crc"))
    val old = """{"format":1,"window":"sum(n) OVER w","computed":{"a":"b"}}"""
    val valid = IndexedSeq(Files.readAllBytes(file), old.getBytes("UTF-8"))
    val mutations = new Mutations(5, valid ++ Seq("[" * 5000, "{\"a\":" * 5000).map(_.getBytes("UTF-8")))
    var (answers, errors) = (0, 0)
    for (i <- 0 until Mutations.count / Fewer) {
      val bytes = mutations.next(valid(i % valid.size))
      Files.write(file, bytes)
      def shown = new String(bytes, "UTF-8")
      val (_, allocated) = Mutations.allocating {
        try {
          metadata.compare(window, text, 1)
          answers += 1
        } catch {
          case e: CorruptState      => errors += 1; assert(e.getMessage.contains("damaged"))
          case e: CheckpointChanged => errors += 1; assert(e.getMessage.contains("state"))
          case e: Throwable         => throw new AssertionError(s"$shown: $e", e)
        }
      }
      assert(allocated <= AllocationPerByte * bytes.length + AllocationOfAny, s"$allocated bytes for $shown")
    }
    println(s"fuzz: window.json: $answers answers, $errors errors")
    assert(answers > 0 && errors > 0)
  }
}
