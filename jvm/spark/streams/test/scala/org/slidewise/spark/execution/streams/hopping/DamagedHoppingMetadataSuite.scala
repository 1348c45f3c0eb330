package org.slidewise.spark.execution.streams.hopping

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.streams.{DamagedFiles, StoredColumn, StoredFunction}
import org.slidewise.spark.plan.HoppingWindows

class DamagedHoppingMetadataSuite extends DamagedFiles {
  private val windows = StoredHopping(
    HoppingWindows(30, 10, 3),
    Seq(StoredColumn("k", "STRING")),
    Seq(StoredFunction("top_k(n, 3)", "TopK", Seq(StoredColumn("buf", "BINARY")), Some("object"), Nil)),
    complete = false
  )

  test("a damaged hopping.json is refused in words, or read as hopping windows") {
    val folder = Files.createTempDirectory("damaged").resolve("0")
    def metadata = new HoppingMetadata(new Path(folder.toString), new Configuration)
    metadata.agree(windows)
    val standing = Files.readString(folder.resolve("_slidewise/hopping.json"))
    check("hopping.json", folder, standing)(() => metadata.compare(windows))
    for (slide <- Seq(0, -10)) {
      Files.writeString(
        folder.resolve("_slidewise/hopping.json"),
        standing.replace("\"slide\":10", s"\"slide\":$slide")
      )
      val error = intercept[CorruptState](metadata.compare(windows))
      assert(error.getMessage.contains(s"windows of 30 every $slide microseconds"), error.getMessage)
    }
  }
}
