package org.slidewise.spark.execution.streams.hopping

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.streams.{DamagedFiles, OperatorFolder, StoredColumn, StoredFunction}
import org.slidewise.spark.plan.{HoppingWindows, Identity}

class DamagedHoppingMetadataSuite extends DamagedFiles {
  private val windows = StoredHopping(
    HoppingWindows(30, 10, 3),
    Seq(Identity("k", "k"), Identity("window", "window")),
    Seq("string"),
    Seq(
      StoredFunction(
        Identity("top_k(n, 3)", "top_k(n, 3)"),
        0,
        "TopK",
        Seq(StoredColumn("buf", "binary")),
        Some("object"),
        Nil
      )
    ),
    complete = false
  )

  test("a damaged description of hopping windows is refused in words, or read as hopping windows") {
    val folder = Files.createTempDirectory("damaged")
    def metadata =
      new HoppingMetadata(OperatorFolder(new Path(folder.resolve("state").toString), 0), new Configuration)
    metadata.agree(windows, batch = 0)
    val standing = Files.readString(folder.resolve("slidewise/0.json"))
    check(folder, standing)(() => metadata.compare(windows, 1))
    for (slide <- Seq(0, -10)) {
      Files.writeString(
        folder.resolve("slidewise/0.json"),
        standing.replace("\"slide\":10", s"\"slide\":$slide")
      )
      val error = intercept[CorruptState](metadata.compare(windows, 1))
      assert(error.getMessage.contains(s"windows of 30 every $slide microseconds"), error.getMessage)
    }
  }
}
