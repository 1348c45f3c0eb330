package org.slidewise.spark.execution.rows;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.spark.unsafe.Platform;

/**
 * One block of memory in a temporary file.
 */
final class SpillFile {
  private static final int BUFFER = 32 * 1024;

  private final TempBlock block = new TempBlock();
  private final int length;

  /** Writes {@code length} bytes from {@code offset} in {@code base}. */
  SpillFile(Object base, long offset, int length) throws IOException {
    this.length = length;
    var buffer = new byte[Math.min(BUFFER, length)];
    try (OutputStream out = block.openForWriting()) {
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
    try (var in = new DataInputStream(block.openForReading())) {
      in.readFully(target, 0, length);
    }
  }

  long bytesOnDisk() {
    return block.bytesOnDisk();
  }

  void delete() {
    block.delete();
  }
}
