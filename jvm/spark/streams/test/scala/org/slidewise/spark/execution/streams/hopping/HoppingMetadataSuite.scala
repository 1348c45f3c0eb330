package org.slidewise.spark.execution.streams.hopping

import java.nio.file.{Files, Path => LocalPath}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.streams.{CheckpointChanged, OperatorFolder, StoredColumn, StoredFunction}
import org.slidewise.spark.plan.{HoppingWindows, Identity}

class HoppingMetadataSuite extends FunSuite {
  private def identity(text: String) = Identity(text, text)

  private val sums = StoredHopping(
    HoppingWindows(30, 10, 3),
    Seq(identity("k"), identity("window")),
    Seq("string"),
    Seq(StoredFunction(identity("sum(n)"), 0, "Sum", Seq(StoredColumn("sum", "bigint")), None, Nil)),
    complete = false
  )

  private def newCheckpoint(): LocalPath = Files.createTempDirectory("slidewise-metadata")
  private def folderOf(checkpoint: LocalPath) = OperatorFolder(new Path(checkpoint.resolve("state").toUri), 0)
  private def metadata(checkpoint: LocalPath) = new HoppingMetadata(folderOf(checkpoint), new Configuration)
  private def fileOf(checkpoint: LocalPath) = checkpoint.resolve("slidewise/0.json")
  private def isOfSpark(checkpoint: LocalPath) =
    HoppingMetadata.isOfSpark(folderOf(checkpoint), new Configuration)

  private def begun(): LocalPath = {
    val checkpoint = newCheckpoint()
    metadata(checkpoint).agree(sums, batch = 0)
    checkpoint
  }

  test("a new state is recorded, and the same windows continue it") {
    val checkpoint = begun()
    val before = Files.readString(fileOf(checkpoint))
    metadata(checkpoint).agree(sums, batch = 0)
    metadata(checkpoint).agree(sums, batch = 1)
    assertEquals(Files.readString(fileOf(checkpoint)), before)
  }

  for (
    (what, other) <- Seq(
      "size" -> sums.copy(windows = HoppingWindows(40, 10, 3)),
      "offset" -> sums.copy(windows = HoppingWindows(30, 10, 4)),
      "key" -> sums.copy(keys = Seq(identity("l"), identity("window"))),
      "type of a key" -> sums.copy(keyTypes = Seq("bigint")),
      "window" -> sums.copy(keys = Seq(identity("k"), identity("window of other"))),
      "function" -> sums.copy(functions = sums.functions.map(_.copy(function = identity("max(n)")))),
      "buffer" -> sums
        .copy(functions = sums.functions.map(_.copy(buffer = Seq(StoredColumn("sum", "double"))))),
      "mode" -> sums.copy(complete = true)
    )
  )
    test(s"another $what is refused, and leaves the file as it is") {
      val checkpoint = begun()
      val before = Files.readString(fileOf(checkpoint))
      intercept[CheckpointChanged](metadata(checkpoint).compare(other, 1))
      intercept[CheckpointChanged](metadata(checkpoint).agree(other, 1))
      assertEquals(Files.readString(fileOf(checkpoint)), before)
      metadata(checkpoint).agree(other, 0)
      metadata(checkpoint).agree(other, 1)
    }

  private def withState(file: String, content: String): LocalPath = {
    val checkpoint = newCheckpoint()
    val path = checkpoint.resolve(s"state/0/$file")
    Files.createDirectories(path.getParent)
    Files.writeString(path, content)
    checkpoint
  }

  private def recording(operator: String) =
    withState("_metadata/metadata", s"""v1\n{"operatorInfo":{"operatorId":0,"operatorName":"$operator"}}""")

  for (
    (what, checkpoint) <- Seq(
      "name" -> (() => recording("stateStoreSave")),
      "schema, which Spark before 3.5 wrote alone" -> (() =>
        withState("0/_metadata/schema", """v2 {"name":"window"},{"name":"start"},{"name":"end"}""")
      )
    )
  )
    test(s"a state of Spark's own operator is known by its $what, and not taken over") {
      val state = checkpoint()
      assert(isOfSpark(state))
      val refused = intercept[CheckpointChanged](metadata(state).agree(sums, 1))
      assert(refused.getMessage.contains("was begun by Spark's own operator"), refused.getMessage)
      assert(!Files.exists(fileOf(state)))
    }

  test("a state without a description is refused if Slidewise has begun it, or if nothing tells who has") {
    for (
      state <- Seq(
        recording("hoppingWindow"),
        withState("0/1.delta", ""),
        withState("_metadata/metadata", "v1\n{")
      )
    ) {
      assert(!isOfSpark(state))
      val refused = intercept[CheckpointChanged](metadata(state).agree(sums, 1))
      assert(refused.getMessage.contains("0.json is missing"), refused.getMessage)
      assert(!Files.exists(fileOf(state)))
    }
  }

  test("the state of a later Spark is refused once it has committed a batch") {
    val checkpoint = newCheckpoint()
    def agree(spark: String, batch: Long) =
      new HoppingMetadata(folderOf(checkpoint), new Configuration, spark).agree(sums, batch)
    agree("4.2.0", 0)
    agree("4.3.0", 1)
    agree("4.2.0", 1)
    agree("4.3.0", 2)
    intercept[CheckpointChanged](agree("4.2.0", 3))
  }

  test("a damaged file and a later format are told apart") {
    val checkpoint = begun()
    val text = Files.readString(fileOf(checkpoint))
    def refusal(content: String) = {
      Files.writeString(fileOf(checkpoint), content)
      intercept[CheckpointChanged](metadata(checkpoint).compare(sums, 1)).getMessage
    }
    assert(refusal(text.replace("\"format\":3", "\"format\":4")).contains("is in format 4"))
    assert(refusal(text.replaceAll("\"panes\":[0-9]+", "\"panes\":99")).contains("keeps panes in format 99"))
    for (damaged <- Seq("{", "{}", text.replace("\"slide\"", "\"side\""))) {
      Files.writeString(fileOf(checkpoint), damaged)
      intercept[CorruptState](metadata(checkpoint).compare(sums, 1))
    }
  }
}
