package org.slidewise.spark.execution.streams

import java.io.IOException
import java.nio.file.{Files, Path => JPath}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.plan.Identity

class WindowMetadataSuite extends FunSuite {
  import WindowMetadataSuite._

  private def folder() = Files.createTempDirectory("checkpoint")

  private def agree(
      folder: JPath,
      window: StoredWindow,
      spark: String = "4.2.0",
      batch: Long = 1
  ): StateLayout =
    new WindowMetadata(
      OperatorFolder(new Path(folder.resolve("state").toString), 0),
      new Configuration,
      spark
    )
      .agree(window, batch)

  private def fileOf(folder: JPath) = folder.resolve("slidewise/0.json")

  private def begun(window: StoredWindow = window, spark: String = "4.2.0"): JPath = {
    val checkpoint = folder()
    agree(checkpoint, window, spark, batch = 0)
    checkpoint
  }

  test("a new checkpoint records the window with versions and buffers, and the same window agrees") {
    val checkpoint = begun()
    val written = Files.readString(fileOf(checkpoint))
    for (
      part <- Seq(
        "\"format\":3",
        "\"spark\":\"4.2.0\"",
        "\"slidewise\":\"",
        "\"section\":17",
        "\"operator\":\"slidingWindow\""
      )
    )
      assert(written.contains(part), written)
    assertEquals(agree(checkpoint, window), StateLayout.of(window))
    assertEquals(Files.readString(fileOf(checkpoint)), written)
  }

  test(
    "expressions, frames and columns in another order are the same window, in the order of the checkpoint"
  ) {
    val checkpoint = begun(window)
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
    val checkpoint = begun(doubled)
    assertEquals(agree(checkpoint, doubled), StateLayout.of(doubled))
    intercept[CheckpointChanged](agree(checkpoint, window))
  }

  private val others: Seq[(String, StoredWindow)] = Seq(
    "another function" -> withFunction(_.copy(function = Identity("avg(n)", "avg(n)"))),
    "another frame" -> window.copy(frames =
      window.frames.map(_.copy(frame = Identity("3", "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW")))
    ),
    "a frame less" -> window.copy(frames = window.frames.take(1)),
    "functions in other frames" -> window.copy(frames = window.frames.zip(window.frames.reverse).map {
      case (f, g) => f.copy(functions = g.functions)
    }),
    "another key" -> window.copy(partitionBy = Seq(column("n", "bigint"))),
    "keys in another order" -> window.copy(partitionBy = window.partitionBy.reverse),
    "another order" -> window.copy(orderBy = Identity("time", "time")),
    "another mode" -> window.copy(mode = "eager"),
    "a column more" -> window.copy(input = window.input :+ column("more", "int")),
    "a column of another type" -> window.copy(input = window.input.init :+ column("n", "int"))
  )
  for ((what, other) <- others)
    test(s"$what is another window, and the file stays as it is") {
      val checkpoint = begun(window)
      val before = Files.readString(fileOf(checkpoint))
      val refused = intercept[CheckpointChanged](agree(checkpoint, other))
      assert(refused.getMessage.contains("belongs to another query"), refused.getMessage)
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
      val checkpoint = begun(window)
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
      val checkpoint = begun(keeping(kept))
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

  for (objects <- Seq(false, true))
    test(s"a kill at any write leaves a description that continues, ${if (objects) "in an object store"
      else "on a disk"}") {
      val other = withFunction(_.copy(function = Identity("avg(n)", "avg(n)")))
      val steps = Seq(
        (other, "4.2.0", 0L),
        (window, "4.2.0", 0L),
        (window, "4.3.0", 5L),
        (window, "4.2.0", 5L),
        (window, "4.3.0", 7L),
        (window, "4.3.1", 7L),
        (window, "4.4.0", 9L),
        (window, "4.4.0", 10L)
      )
      val hadoopConf = new Configuration
      hadoopConf.set(s"fs.${FaultyFileSystem.Scheme}.impl", classOf[FaultyFileSystem].getName)
      val checkpoint = folder()
      def metadata(spark: String) = new WindowMetadata(
        OperatorFolder(new Path(s"${FaultyFileSystem.Scheme}:$checkpoint/state"), 0),
        hadoopConf,
        spark
      )

      /** Whether all steps were taken before the process was killed. */
      def taken(last: Int): Boolean = {
        var next = 0
        def go(): Unit = while (next < steps.size) {
          val (kept, spark, batch) = steps(next)
          metadata(spark).agree(kept, batch)
          next += 1
        }
        val writes = FaultyFileSystem.watch(checkpoint, objects, last)
        val whole =
          try { go(); true }
          catch { case e: IOException => assert(e.getMessage.contains(FaultyFileSystem.Message), e); false }
        FaultyFileSystem.watch(checkpoint, objects)
        // Another process repeats the step.
        if (!whole)
          try go()
          catch { case e: Throwable => throw new AssertionError(s"$last: ${writes.changes.last}", e) }
        FaultyFileSystem.watch(checkpoint, objects)
        intercept[CheckpointChanged](metadata("4.3.0").compare(window, 10))
        intercept[CheckpointChanged](metadata("4.4.0").compare(other, 10))
        metadata("4.4.0").compare(window, 10)
        OperatorFolder(new Path(s"${FaultyFileSystem.Scheme}:$checkpoint/state"), 0).discard(hadoopConf)
        assertEquals(checkpoint.resolve("slidewise").toFile.list.toSeq.filterNot(_.startsWith(".")), Nil)
        whole
      }
      val kills = Iterator.from(1).takeWhile(!taken(_)).size
      assert(kills > 20, kills)
    }

  test("while no batch has been committed, any Spark begins") {
    val checkpoint = folder()
    agree(checkpoint, window, "4.3.0", batch = 0)
    agree(checkpoint, window, "4.2.0", batch = 0)
    agree(checkpoint, window, "4.2.0", batch = 1)
  }

  test("a missing file is refused past the first batch, and the state stays") {
    val checkpoint = begun()
    Files.delete(fileOf(checkpoint))
    val refused = intercept[CheckpointChanged](agree(checkpoint, window, batch = 1))
    assert(refused.getMessage.contains("0.json is missing"), refused.getMessage)
    assert(!Files.exists(fileOf(checkpoint)))
  }

  test("until the first batch is committed, another window begins anew, without the state of the first one") {
    val checkpoint = begun()
    val partial = Files.createDirectories(checkpoint.resolve("state/0/0/_metadata")).resolve("schema")
    Files.writeString(partial, "of the first window")
    agree(checkpoint, window, batch = 0)
    assert(Files.exists(partial))
    val other = withFunction(_.copy(function = Identity("avg(n)", "avg(n)")))
    agree(checkpoint, other, batch = 0)
    assert(!Files.exists(partial))
    agree(checkpoint, other, batch = 1)
    intercept[CheckpointChanged](agree(checkpoint, window, batch = 1))
  }

  test("the state of another operator is refused") {
    val file = Files.readString(fileOf(begun())).replace("slidingWindow", "hoppingWindow")
    val refused = intercept[CheckpointChanged](agree(withFile(file), window))
    assert(refused.getMessage.contains("was begun by the operator hoppingWindow"), refused.getMessage)
  }

  test("windows whose text is the same are told apart, and the message shows how") {
    val other = withFunction(f => f.copy(function = f.function.copy(canonical = "sum(2.n)")))
    val message = intercept[CheckpointChanged](agree(begun(), other)).getMessage
    assert(message.contains("sum(2.n)"), message)
  }

  private def withFile(content: String): JPath = {
    val checkpoint = folder()
    Files.createDirectories(fileOf(checkpoint).getParent)
    Files.writeString(fileOf(checkpoint), content)
    checkpoint
  }

  test("a file of a later format is refused with the version that wrote it") {
    val refused =
      intercept[CheckpointChanged](agree(withFile("""{"format":4,"slidewise":"9.8.7"}"""), window))
    assert(refused.getMessage.contains("is in format 4"), refused.getMessage)
    assert(refused.getMessage.contains("9.8.7"), refused.getMessage)
  }

  test("cells of a later format are refused with the version that wrote them") {
    val checkpoint = begun(window)
    val later = Files.readString(fileOf(checkpoint)).replaceAll("\"cells\":[0-9]+", "\"cells\":99")
    val refused = intercept[CheckpointChanged](agree(withFile(later), window))
    assert(refused.getMessage.contains("keeps cells in format"))
  }

  test("a damaged file is refused wherever it is cut off") {
    val checkpoint = begun(window)
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
    intercept[CorruptState](agree(withFile("""{"format":"3"}"""), window))
  }
}

private object WindowMetadataSuite {
  def column(name: String, storedType: String): StoredInput =
    StoredInput(Identity(s"0.'$name'", name), storedType)

  private def function(sql: String, implementation: String, buffer: StoredColumn) =
    StoredFunction(Identity(sql, sql), 0, implementation, Seq(buffer), None, Nil)

  private val sum = function("sum(n)", "Sum", StoredColumn("sum", "double"))
  private val most = function("max(n)", "Max", StoredColumn("max", "bigint"))
  private val list =
    function("collect_list(n)", "CollectList", StoredColumn("buf", "binary"))

  val window: StoredWindow = StoredWindow(
    Seq(
      StoredFrame(Identity("2", "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"), StoredFrame.Buffers, Seq(most)),
      StoredFrame(
        Identity("9", "ROWS BETWEEN 9 PRECEDING AND CURRENT ROW"),
        StoredFrame.Buffers,
        Seq(sum, list)
      )
    ),
    Seq(column("k", "string"), column("l", "string")),
    Identity("ts", "ts"),
    Seq(column("k", "string"), column("ts", "timestamp"), column("n", "bigint")),
    "append"
  )

  /** The window with another `sum(n)`. */
  def withFunction(change: StoredFunction => StoredFunction): StoredWindow =
    window.copy(frames =
      window.frames.map(f => f.copy(functions = f.functions.map(g => if (g == sum) change(g) else g)))
    )
}
