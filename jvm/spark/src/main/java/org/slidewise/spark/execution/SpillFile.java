package org.slidewise.spark.execution;

import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.unsafe.Platform;

/**
 * A temporary file for one block of memory, compressed and encrypted as Spark's settings have it for
 * spilled data. Written in Java because Spark keeps its disk manager private to its Scala packages.
 */
final class SpillFile {
  private static final int BUFFER = 32 * 1024;

  private final BlockId id;
  private final File file;
  private final int length;

  /** Writes {@code length} bytes from {@code offset} in {@code base}. */
  SpillFile(Object base, long offset, int length) throws IOException {
    var created = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock();
    this.id = created._1();
    this.file = created._2();
    this.length = length;
    var buffer = new byte[Math.min(BUFFER, length)];
    try (OutputStream out =
        SparkEnv.get().serializerManager().wrapStream(id, new FileOutputStream(file))) {
      for (int done = 0; done < length; ) {
        int n = Math.min(buffer.length, length - done);
        Platform.copyMemory(base, offset + done, buffer, Platform.BYTE_ARRAY_OFFSET, n);
        out.write(buffer, 0, n);
        done += n;
      }
    } catch (IOException e) {
      delete();
      throw e;
    }
  }

  /** Reads the bytes into the start of {@code target}, which must have room for them. */
  void read(byte[] target) throws IOException {
    try (var in =
        new DataInputStream(
            SparkEnv.get().serializerManager().wrapStream(id, new FileInputStream(file)))) {
      in.readFully(target, 0, length);
    }
  }

  long bytesOnDisk() {
    return file.length();
  }

  void delete() {
    file.delete();
  }
}
