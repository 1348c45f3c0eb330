package org.slidewise.spark.execution.rows;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;

/**
 * A temporary file, compressed and encrypted as Spark's settings have it for spilled data. Written in
 * Java because Spark keeps its disk manager private to its Scala packages.
 */
final class TempBlock {
  private final BlockId id;
  private final File file;

  TempBlock() {
    var created = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock();
    this.id = created._1();
    this.file = created._2();
  }

  OutputStream openForWriting() throws IOException {
    return SparkEnv.get().serializerManager().wrapStream(id, new FileOutputStream(file));
  }

  InputStream openForReading() throws IOException {
    return SparkEnv.get().serializerManager().wrapStream(id, new FileInputStream(file));
  }

  long bytesOnDisk() {
    return file.length();
  }

  void delete() {
    file.delete();
  }
}
