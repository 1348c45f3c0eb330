package org.slidewise.spark.execution.rows;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Rows in a temporary file, written once and then read once, from first to last.
 *
 * <p>Memory: the largest row, and two buffers of 8 KiB.
 */
public final class RowFile implements Closeable {
  private final TempBlock block = new TempBlock();
  private DataOutputStream out;
  private DataInputStream in;
  private byte[] buffer = new byte[1024];

  public RowFile() throws IOException {
    this.out = new DataOutputStream(new BufferedOutputStream(block.openForWriting()));
  }

  public void write(UnsafeRow row) throws IOException {
    int size = row.getSizeInBytes();
    reserve(size);
    Platform.copyMemory(
        row.getBaseObject(), row.getBaseOffset(), buffer, Platform.BYTE_ARRAY_OFFSET, size);
    out.writeInt(size);
    out.write(buffer, 0, size);
  }

  /** Ends the writing; the file is read from its beginning from now on. */
  public long startReading() throws IOException {
    out.close();
    out = null;
    in = new DataInputStream(new BufferedInputStream(block.openForReading()));
    return block.bytesOnDisk();
  }

  /** Points {@code row} to the next row, which lasts until the next call. */
  public void read(UnsafeRow row) throws IOException {
    int size = in.readInt();
    reserve(size);
    in.readFully(buffer, 0, size);
    row.pointTo(buffer, Platform.BYTE_ARRAY_OFFSET, size);
  }

  private void reserve(int size) {
    if (buffer.length < size) {
      buffer = new byte[Math.max(size, 2 * buffer.length)];
    }
  }

  /** Deletes the file. */
  @Override
  public void close() throws IOException {
    try {
      if (out != null) {
        out.close();
      }
      if (in != null) {
        in.close();
      }
    } finally {
      out = null;
      in = null;
      block.delete();
    }
  }
}
