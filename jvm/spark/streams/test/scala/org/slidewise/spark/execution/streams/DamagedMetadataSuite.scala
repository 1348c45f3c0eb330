package org.slidewise.spark.execution.streams

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.plan.Identity

class DamagedMetadataSuite extends DamagedFiles {
  private def identity(text: String) = Identity(text, text)
  private def column(name: String, storedType: String) = StoredInput(identity(name), storedType)

  private val window = StoredWindow(
    Seq(
      StoredFrame(
        identity("ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"),
        StoredFrame.Buffers,
        Seq(
          StoredFunction(
            identity("sum(n)"),
            0,
            "Sum",
            Seq(StoredColumn("sum", "bigint")),
            Some("object"),
            Nil
          )
        )
      )
    ),
    Seq(column("k", "string")),
    identity("ts"),
    Seq(column("k", "string"), column("ts", "timestamp")),
    "append"
  )

  test("a damaged description of a window is refused in words, or read as a window") {
    val folder = Files.createTempDirectory("damaged")
    val metadata =
      new WindowMetadata(OperatorFolder(new Path(folder.resolve("state").toString), 0), new Configuration)
    metadata.agree(window, batch = 0)
    check(folder)(() => metadata.compare(window, 1))
  }
}
