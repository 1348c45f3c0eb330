package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path => JPath}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.CorruptState

class WindowMetadataSuite extends FunSuite {
  import WindowMetadataSuite._

  private def folder() = Files.createTempDirectory("operator")

  private def agree(
      folder: JPath,
      window: StoredWindow,
      spark: String = "4.2.0",
      batch: Long = 1
  ): StateLayout =
    new WindowMetadata(new Path(folder.toString), new Configuration, spark).agree(window, text, batch)

  private def fileOf(folder: JPath) = folder.resolve("_slidewise/window.json")

  test("a new checkpoint records the window with versions and buffers, and the same window agrees") {
    val checkpoint = folder()
    assertEquals(agree(checkpoint, window), StateLayout.of(window))
    val written = Files.readString(fileOf(checkpoint))
    for (
      part <- Seq(
        "\"format\":2",
        "\"spark\":\"4.2.0\"",
        "\"slidewise\":\"",
        "\"section\":17",
        "\"type\":\"DOUBLE\""
      )
    )
      assert(written.contains(part), written)
    assertEquals(agree(checkpoint, window), StateLayout.of(window))
    assertEquals(Files.readString(fileOf(checkpoint)), written)
  }

  test(
    "expressions, frames and columns in another order are the same window, in the order of the checkpoint"
  ) {
    val checkpoint = folder()
    agree(checkpoint, window)
    val swapped = window.copy(
      frames = window.frames.reverse.map(f => f.copy(functions = f.functions.reverse)),
      input = window.input.reverse
    )
    val layout = agree(checkpoint, swapped)
    assertEquals(layout, StateLayout(Seq(2, 1, 0), Seq(FrameLayout(1, Seq(0)), FrameLayout(0, Seq(1, 0)))))
    assertEquals(swapped.in(layout), window)
  }

  test("functions that stand twice are told apart by their number") {
    val doubled = window.copy(frames = window.frames.map(f => f.copy(functions = f.functions ++ f.functions)))
    val checkpoint = folder()
    agree(checkpoint, doubled)
    assertEquals(agree(checkpoint, doubled), StateLayout.of(doubled))
    intercept[CheckpointChanged](agree(checkpoint, window))
  }

  private val others: Seq[(String, StoredWindow)] = Seq(
    "another function" -> withFunction(_.copy(sql = "avg(n)")),
    "another frame" -> window.copy(frames =
      window.frames.map(_.copy(frame = "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW"))
    ),
    "a frame less" -> window.copy(frames = window.frames.take(1)),
    "functions in other frames" -> window.copy(frames = window.frames.zip(window.frames.reverse).map {
      case (f, g) => f.copy(functions = g.functions)
    }),
    "another key" -> window.copy(partitionBy = Seq("n")),
    "keys in another order" -> window.copy(partitionBy = window.partitionBy.reverse),
    "another order" -> window.copy(orderBy = "time"),
    "another mode" -> window.copy(mode = "eager"),
    "a column more" -> window.copy(input = window.input :+ StoredColumn("more", "INT")),
    "a column of another type" -> window.copy(input = window.input.init :+ StoredColumn("n", "INT"))
  )
  for ((what, other) <- others)
    test(s"$what is another window, and the file stays as it is") {
      val checkpoint = folder()
      agree(checkpoint, window)
      val before = Files.readString(fileOf(checkpoint))
      val refused = intercept[CheckpointChanged](agree(checkpoint, other))
      assert(refused.getMessage.contains("belongs to another window"), refused.getMessage)
      assert(refused.getMessage.contains(s"It keeps:      $window"), refused.getMessage)
      assertEquals(Files.readString(fileOf(checkpoint)), before)
    }

  private val otherForms: Seq[(String, StoredWindow)] = Seq(
    "a buffer field of another type" -> withFunction(_.copy(buffer = Seq(StoredColumn("sum", "BIGINT")))),
    "a buffer field of another name" -> withFunction(_.copy(buffer = Seq(StoredColumn("total", "DOUBLE")))),
    "a buffer field more" -> withFunction(f =>
      f.copy(buffer = f.buffer :+ StoredColumn("isEmpty", "BOOLEAN"))
    ),
    "another class" -> withFunction(_.copy(implementation = "OtherSum")),
    "an object of another type" -> withFunction(_.copy(objectType = Some("STRUCT<a: INT>"))),
    "another guard" -> withFunction(_.copy(guard = Seq(StoredColumn("magnitude", "DOUBLE"))))
  )
  for ((what, other) <- otherForms)
    test(s"$what is refused, with both forms") {
      val checkpoint = folder()
      agree(checkpoint, window)
      val refused = intercept[CheckpointChanged](agree(checkpoint, other, spark = "4.3.0"))
      val message = refused.getMessage
      assert(message.contains("keeps sum(n) in another form"), message)
      assert(message.contains("written by Spark 4.2.0") && message.contains("in Spark 4.3.0"), message)
    }

  private def keeping(state: String) = window.copy(frames = window.frames.map(_.copy(state = state)))

  for (
    (kept, needed) <- Seq(
      StoredFrame.Buffers -> StoredFrame.Rows,
      StoredFrame.Rows -> StoredFrame.LastOccurrences,
      StoredFrame.LastOccurrences -> StoredFrame.Rows
    )
  )
    test(
      s"a checkpoint with $kept is refused where $needed are needed, with version and settings as remedy"
    ) {
      val checkpoint = folder()
      agree(checkpoint, keeping(kept))
      val message = intercept[CheckpointChanged](agree(checkpoint, keeping(needed))).getMessage
      assert(message.contains(s"keeps $kept for") && message.contains(s"would keep $needed"), message)
      assert(message.contains("version of Slidewise and the settings of spark.slidewise"), message)
    }

  test("a later Spark continues, and is recorded; once it has committed a batch, an earlier one is refused") {
    val checkpoint = folder()
    agree(checkpoint, window, "4.2.0", batch = 0)
    val begun = Files.readString(fileOf(checkpoint))
    agree(checkpoint, window, "4.2.9", batch = 3)
    assertEquals(Files.readString(fileOf(checkpoint)), begun)
    val swapped = window.copy(frames = window.frames.reverse)
    val layout = agree(checkpoint, swapped, "4.10.0", batch = 5)
    assertEquals(agree(checkpoint, swapped, "4.10.1", batch = 6), layout)
    val refused = intercept[CheckpointChanged](agree(checkpoint, window, "4.3.0", batch = 6))
    assert(
      refused.getMessage.contains("was written by Spark 4.10.0, and this is Spark 4.3.0"),
      refused.getMessage
    )
  }

  test(
    "after a first batch of a later Spark that has failed, the earlier one continues, for as long as it likes"
  ) {
    val checkpoint = folder()
    agree(checkpoint, window, "4.2.0", batch = 0)
    agree(checkpoint, window, "4.3.0", batch = 5)
    agree(checkpoint, window, "4.2.0", batch = 5)
    agree(checkpoint, window, "4.2.0", batch = 9)
    agree(checkpoint, window, "4.3.0", batch = 12)
    agree(checkpoint, window, "4.3.0", batch = 12)
    agree(checkpoint, window, "4.2.0", batch = 12)
    agree(checkpoint, window, "4.3.0", batch = 12)
    intercept[CheckpointChanged](agree(checkpoint, window, "4.2.0", batch = 13))
    agree(checkpoint, window, "4.4.0", batch = 13)
    intercept[CheckpointChanged](agree(checkpoint, window, "4.2.0", batch = 13))
    agree(checkpoint, window, "4.3.0", batch = 13)
  }

  test("while no batch has been committed, any Spark begins") {
    val checkpoint = folder()
    agree(checkpoint, window, "4.3.0", batch = 0)
    agree(checkpoint, window, "4.2.0", batch = 0)
    agree(checkpoint, window, "4.2.0", batch = 1)
  }

  private def withFile(content: String): JPath = {
    val checkpoint = folder()
    Files.createDirectories(fileOf(checkpoint).getParent)
    Files.writeString(fileOf(checkpoint), content)
    checkpoint
  }

  test("a file of format 1 agrees with the same text, in the order of the query") {
    val checkpoint = withFile("""{"format":1,"window":"sum(_w0) OVER w","computed":{"_w0":"n + 1"}}""")
    assertEquals(agree(checkpoint, window), StateLayout.of(window))
    for (
      other <- Seq(
        """{"format":1,"window":"max(_w0) OVER w","computed":{"_w0":"n + 1"}}""",
        """{"format":1,"window":"sum(_w0) OVER w","computed":{"_w0":"n + 2"}}"""
      )
    ) intercept[CheckpointChanged](agree(withFile(other), window))
    agree(withFile("""{"format":1,"window":"sum(_w0) OVER w"}"""), window)
  }

  test("a file of a later format is refused with the version that wrote it") {
    val refused =
      intercept[CheckpointChanged](agree(withFile("""{"format":3,"slidewise":"9.8.7"}"""), window))
    assert(refused.getMessage.contains("is in format 3"), refused.getMessage)
    assert(refused.getMessage.contains("9.8.7"), refused.getMessage)
  }

  test("cells of a later format are refused with the version that wrote them") {
    val checkpoint = folder()
    agree(checkpoint, window)
    val later = Files.readString(fileOf(checkpoint)).replace("\"cells\":1", "\"cells\":2")
    val refused = intercept[CheckpointChanged](agree(withFile(later), window))
    assert(refused.getMessage.contains("keeps cells in format 2, and this version of Slidewise knows"))
  }

  test("a damaged file is refused wherever it is cut off") {
    val checkpoint = folder()
    agree(checkpoint, window)
    val whole = Files.readString(fileOf(checkpoint))
    for (length <- 0 until whole.length by 41)
      intercept[CorruptState](agree(withFile(whole.take(length)), window))
    for (
      field <- Seq(
        "spark",
        "frames",
        "input",
        "partitionBy",
        "orderBy",
        "mode",
        "functions",
        "buffer",
        "class",
        "sql"
      )
    )
      intercept[CorruptState](agree(withFile(whole.replace("\"" + field + "\":", "\"other\":")), window))
    intercept[CorruptState](agree(withFile("[]"), window))
    intercept[CorruptState](agree(withFile("""{"format":1}"""), window))
  }
}

private object WindowMetadataSuite {
  private val sum = StoredFunction("sum(n)", "Sum", Seq(StoredColumn("sum", "DOUBLE")), None, Nil)
  private val most = StoredFunction("max(n)", "Max", Seq(StoredColumn("max", "BIGINT")), None, Nil)
  private val list =
    StoredFunction("collect_list(n)", "CollectList", Seq(StoredColumn("buf", "BINARY")), None, Nil)

  val window: StoredWindow = StoredWindow(
    Seq(
      StoredFrame("ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", StoredFrame.Buffers, Seq(most)),
      StoredFrame("ROWS BETWEEN 9 PRECEDING AND CURRENT ROW", StoredFrame.Buffers, Seq(sum, list))
    ),
    Seq("k", "l"),
    "ts",
    Seq(StoredColumn("k", "STRING"), StoredColumn("ts", "TIMESTAMP"), StoredColumn("n", "BIGINT")),
    "append"
  )

  val text: StoredWindow.Text = StoredWindow.Text("sum(_w0) OVER w", Map("_w0" -> "n + 1"))

  /** The window with another `sum(n)`. */
  def withFunction(change: StoredFunction => StoredFunction): StoredWindow =
    window.copy(frames =
      window.frames.map(f => f.copy(functions = f.functions.map(g => if (g == sum) change(g) else g)))
    )
}
