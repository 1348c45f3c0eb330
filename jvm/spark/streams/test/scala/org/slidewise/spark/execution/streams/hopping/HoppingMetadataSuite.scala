package org.slidewise.spark.execution.streams.hopping

import java.nio.file.{Files, Path => LocalPath}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.streams.{CheckpointChanged, StoredColumn, StoredFunction}
import org.slidewise.spark.plan.HoppingWindows

class HoppingMetadataSuite extends FunSuite {

  private val sums = StoredHopping(
    HoppingWindows(30, 10, 3),
    Seq(StoredColumn("k", "STRING")),
    Seq(StoredFunction("sum(n)", "Sum", Seq(StoredColumn("sum", "BIGINT")), None, Nil)),
    complete = false
  )

  private def metadata(folder: LocalPath) = new HoppingMetadata(new Path(folder.toUri), new Configuration)
  private def newOperator(): LocalPath = Files.createTempDirectory("slidewise-metadata").resolve("0")
  private def fileOf(folder: LocalPath) = folder.resolve("_slidewise/hopping.json")

  private def begun(): LocalPath = {
    val folder = newOperator()
    metadata(folder).agree(sums)
    folder
  }

  test("a new state is recorded, and the same windows continue it") {
    val folder = newOperator()
    assert(!metadata(folder).exists && !metadata(folder).isOfSpark)
    metadata(folder).agree(sums)
    assert(metadata(folder).exists && !metadata(folder).isOfSpark)
    val before = Files.readString(fileOf(folder))
    metadata(folder).agree(sums)
    assertEquals(Files.readString(fileOf(folder)), before)
  }

  for (
    (what, other) <- Seq(
      "size" -> sums.copy(windows = HoppingWindows(40, 10, 3)),
      "offset" -> sums.copy(windows = HoppingWindows(30, 10, 4)),
      "key" -> sums.copy(keys = Seq(StoredColumn("k", "BIGINT"))),
      "function" -> sums.copy(functions = sums.functions.map(_.copy(sql = "max(n)"))),
      "buffer" -> sums
        .copy(functions = sums.functions.map(_.copy(buffer = Seq(StoredColumn("sum", "DOUBLE"))))),
      "mode" -> sums.copy(complete = true)
    )
  )
    test(s"another $what is refused, and leaves the file as it is") {
      val folder = begun()
      val before = Files.readString(fileOf(folder))
      intercept[CheckpointChanged](metadata(folder).compare(other))
      intercept[CheckpointChanged](metadata(folder).agree(other))
      assertEquals(Files.readString(fileOf(folder)), before)
    }

  test("a state of Spark's own operator is not taken over") {
    val folder = newOperator()
    Files.createDirectories(folder.resolve("0"))
    assert(metadata(folder).isOfSpark)
    val refused = intercept[CheckpointChanged](metadata(folder).agree(sums))
    assert(refused.getMessage.contains("was begun by Spark's own operator"), refused.getMessage)
    assert(!Files.exists(fileOf(folder)))
  }

  test("a damaged file and a later format are told apart") {
    val folder = begun()
    val text = Files.readString(fileOf(folder))
    Files.writeString(fileOf(folder), text.replace("\"format\":1", "\"format\":2"))
    Files.deleteIfExists(folder.resolve("_slidewise/.hopping.json.crc"))
    assert(intercept[CheckpointChanged](metadata(folder).compare(sums)).getMessage.contains("is in format 2"))
    Files.writeString(fileOf(folder), text.replace("\"panes\":1", "\"panes\":2"))
    assert(
      intercept[CheckpointChanged](metadata(folder).compare(sums)).getMessage
        .contains("keeps panes in format 2")
    )
    for (damaged <- Seq("{", "{}", text.replace("\"slide\"", "\"side\""))) {
      Files.writeString(fileOf(folder), damaged)
      intercept[CorruptState](metadata(folder).compare(sums))
    }
  }
}
