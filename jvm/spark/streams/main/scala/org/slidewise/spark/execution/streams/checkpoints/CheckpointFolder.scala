package org.slidewise.spark.execution.streams.checkpoints

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, FileStatus, FileUtil, Path}

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.shims.SparkStreaming.CheckpointFileManager

/** The files of a checkpoint, in any file system that Hadoop supports. */
final private[checkpoints] class CheckpointFolder(place: Path, val hadoopConf: Configuration) {
  import CheckpointFolder._

  val path: Path = place.getFileSystem(hadoopConf).makeQualified(place)

  /** The folder of the operators' states. */
  val states = new Path(path, "state")

  private lazy val files = CheckpointFileManager.create(path, hadoopConf)

  def exists(name: String): Boolean = files.exists(new Path(path, name))

  /** Whether the folder has any file; false if it does not exist. */
  def hasFiles: Boolean = files.exists(path) && path.getFileSystem(hadoopConf).listStatus(path).nonEmpty

  def text(name: String): String = {
    val file = new Path(path, name)
    if (!files.exists(file)) throw new CorruptState(s"the file $file is missing")
    val in = files.open(file)
    try {
      val bytes = in.readNBytes(MostBytes)
      if (bytes.length == MostBytes) throw new CorruptState(s"$file has more than 64 MiB")
      new String(bytes, UTF_8)
    } finally in.close()
  }

  def entry(name: String): LogEntry = LogEntry.of(text(name), new Path(path, name).toString)

  /** The numbers of the batches in the log `offsets` or `commits`, ascending. */
  def batches(log: String): Seq[Long] =
    if (!exists(log)) Nil
    else files.list(new Path(path, log)).flatMap(_.getPath.getName.toLongOption).sorted.toSeq

  /** The numbers of the operators with a state, ascending. */
  def operators: Seq[Long] =
    if (!exists("state")) Nil
    else
      files.list(states).filter(_.isDirectory).flatMap(_.getPath.getName.toLongOption).sorted.toSeq

  /** Writes a file atomically. */
  def write(name: String, text: String): Unit = {
    val file = new Path(path, name)
    files.mkdirs(file.getParent)
    val out = files.createAtomic(file, false)
    try {
      out.write(text.getBytes(UTF_8))
      out.close()
    } catch { case e: Throwable => out.cancel(); throw e }
  }

  /** Writes the first file. Returns false, and leaves the folder as it is, if another writer has files there. */
  def begin(name: String, text: String): Boolean = !hasFiles && {
    try {
      write(name, text)
      val isFirst = Seq("", name.takeWhile(_ != '/')).forall(filesIn(_).size == 1)
      if (!isFirst) deleteFile(name)
      isFirst
    } catch { case _: FileAlreadyExistsException => false }
  }

  private def filesIn(name: String): Seq[FileStatus] = {
    val folder = if (name.isEmpty) path else new Path(path, name)
    folder.getFileSystem(hadoopConf).listStatus(folder).toSeq.filterNot(_.getPath.getName.startsWith("."))
  }

  /** Copies a file or a folder of another checkpoint to the same place in this one, if it exists. */
  def copyFrom(other: CheckpointFolder, name: String): Unit = if (other.exists(name)) {
    val (from, to) = (new Path(other.path, name), new Path(path, name))
    val fileSystem = to.getFileSystem(hadoopConf)
    fileSystem.mkdirs(to.getParent)
    FileUtil.copy(from.getFileSystem(hadoopConf), from, fileSystem, to, false, false, hadoopConf)
  }

  /** Moves a folder of another checkpoint in the same file system to the same place in this one, if it exists. */
  def moveFrom(other: CheckpointFolder, name: String): Unit = if (other.exists(name)) {
    val (from, to) = (new Path(other.path, name), new Path(path, name))
    val fileSystem = to.getFileSystem(hadoopConf)
    fileSystem.mkdirs(to.getParent)
    if (!fileSystem.rename(from, to)) throw new java.io.IOException(s"cannot rename $from to $to")
  }

  def deleteFile(name: String): Unit = files.delete(new Path(path, name))

  def delete(): Unit = files.delete(path)
}

private[checkpoints] object CheckpointFolder {

  /** The size in bytes that a file of a log must stay below. */
  private val MostBytes = 64 << 20

  /** Whether the file or folder exists. */
  def isIn(place: Path, hadoopConf: Configuration): Boolean = place.getFileSystem(hadoopConf).exists(place)
}
