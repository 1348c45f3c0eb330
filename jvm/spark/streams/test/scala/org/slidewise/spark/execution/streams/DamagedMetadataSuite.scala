package org.slidewise.spark.execution.streams

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

class DamagedMetadataSuite extends DamagedFiles {
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

  test("a damaged window.json is refused in words, or read as a window") {
    val folder = Files.createTempDirectory("damaged")
    def metadata = new WindowMetadata(new Path(folder.toString), new Configuration, "4.3.0")
    metadata.agree(window, text, 0)
    val old = """{"format":1,"window":"sum(n) OVER w","computed":{"a":"b"}}"""
    check("window.json", folder, old)(() => metadata.compare(window, text, 1))
  }
}
