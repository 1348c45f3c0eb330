package org.slidewise.spark.execution.rows;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.TempLocalBlockId;
import scala.Tuple2;

/**
 * A temporary file, compressed and encrypted as Spark's settings have it for spilled data. Written in
 * Java because Spark keeps its disk manager private to its Scala packages.
 */
final class TempBlock {
  private final BlockId id;
  private final File file;
  private FileOutputStream written;

  TempBlock() {
    Tuple2<TempLocalBlockId, File> created =
        SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock();
    this.id = created._1();
    this.file = created._2();
  }

  /** A stream over the whole file. Deletes the file if it cannot be opened. */
  OutputStream openForWriting() throws IOException {
    create();
    try {
      return wrap(written);
    } catch (Throwable e) {
      delete();
      throw e;
    }
  }

  InputStream openForReading() throws IOException {
    return openForReading(0);
  }

  /** A stream that starts at byte {@code from} of the file, where a compressed stream must start. */
  InputStream openForReading(long from) throws IOException {
    FileInputStream in = new FileInputStream(file);
    try {
      in.getChannel().position(from);
      return SparkEnv.get().serializerManager().wrapStream(id, in);
    } catch (Throwable e) {
      in.close();
      throw e;
    }
  }

  /** Opens the bare file, for several compressed streams one after the other. */
  FileOutputStream create() throws IOException {
    written = new FileOutputStream(file);
    return written;
  }

  /** A compressed stream into {@code out}. */
  OutputStream wrap(OutputStream out) {
    return SparkEnv.get().serializerManager().wrapStream(id, out);
  }

  long bytesOnDisk() {
    return file.length();
  }

  /** Also closes the file: a compressed stream that failed may have left it open. */
  void delete() {
    if (written != null) {
      try {
        written.close();
      } catch (IOException e) {
        // The file is deleted all the same.
      }
    }
    file.delete();
  }
}
