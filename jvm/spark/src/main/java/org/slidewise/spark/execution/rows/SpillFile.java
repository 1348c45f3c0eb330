package org.slidewise.spark.execution.rows;

import java.io.DataInputStream;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.spark.unsafe.Platform;

/**
 * A stretch of memory in a temporary file, cut into blocks. Each block is a compressed stream of its
 * own and can be read without the others.
 */
final class SpillFile {
  private static final int BUFFER = 32 * 1024;

  private final TempBlock block = new TempBlock();
  private final int[] ends;
  private final long[] places;

  /**
   * Writes the bytes from {@code offset} in {@code base}.
   *
   * @param ends the end of each block, in bytes from {@code offset}
   * @param beforeEach called before each block; if it throws, the file is deleted
   */
  SpillFile(Object base, long offset, int[] ends, Runnable beforeEach) throws IOException {
    this.ends = ends;
    this.places = new long[ends.length];
    byte[] buffer = new byte[BUFFER];
    try (FileOutputStream file = block.create()) {
      for (int i = 0; i < ends.length; i++) {
        beforeEach.run();
        places[i] = file.getChannel().position();
        try (OutputStream out = block.wrap(new Unclosed(file))) {
          for (int at = start(i); at < ends[i]; ) {
            int n = Math.min(buffer.length, ends[i] - at);
            Platform.copyMemory(base, offset + at, buffer, Platform.BYTE_ARRAY_OFFSET, n);
            out.write(buffer, 0, n);
            at += n;
          }
        }
      }
    } catch (Throwable e) {
      delete();
      throw e;
    }
  }

  private int start(int i) {
    return i == 0 ? 0 : ends[i - 1];
  }

  /** The size of block {@code i} in bytes. */
  int size(int i) {
    return ends[i] - start(i);
  }

  /** Reads block {@code i} into the start of {@code target}, which must have room for it. */
  void read(int i, byte[] target) throws IOException {
    try (DataInputStream in = new DataInputStream(block.openForReading(places[i]))) {
      in.readFully(target, 0, size(i));
    }
  }

  long bytesOnDisk() {
    return block.bytesOnDisk();
  }

  void delete() {
    block.delete();
  }

  /** Leaves the file open when a block's stream is closed. */
  private static final class Unclosed extends FilterOutputStream {
    Unclosed(OutputStream file) {
      super(file);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
