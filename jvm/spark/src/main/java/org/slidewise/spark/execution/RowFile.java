package org.slidewise.spark.execution;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.storage.BlockId;
import org.apache.spark.unsafe.Platform;

/**
 * Rows in a temporary file, written once and then read once, from first to last; compressed and
 * encrypted as Spark's settings have it for spilled data.
 */
public final class RowFile implements Closeable {
  private final BlockId id;
  private final File file;
  private DataOutputStream out;
  private DataInputStream in;
  private byte[] buffer = new byte[1024];

  public RowFile() throws IOException {
    var created = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock();
    this.id = created._1();
    this.file = created._2();
    this.out =
        new DataOutputStream(
            new BufferedOutputStream(
                SparkEnv.get().serializerManager().wrapStream(id, new FileOutputStream(file))));
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
    in =
        new DataInputStream(
            new BufferedInputStream(
                SparkEnv.get().serializerManager().wrapStream(id, new FileInputStream(file))));
    return file.length();
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
    if (out != null) {
      out.close();
    }
    if (in != null) {
      in.close();
    }
    file.delete();
  }
}
