package org.slidewise.spark.execution.streams

import java.io.{ByteArrayOutputStream, FileNotFoundException, IOException, OutputStream}
import java.net.URI
import java.nio.file.{Files, Paths}
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/**
 * Local files below `faulty:/`, whose folders may stop at a write; see [[FaultyFileSystem.Writes]]. Spark has no FileContext for the
 * scheme, so that each of its writes is one of a FileSystem.
 */
final class FaultyFileSystem extends RawLocalFileSystem {
  import FaultyFileSystem._

  override def getScheme: String = Scheme
  override def getUri: URI = URI.create(s"$Scheme:///")

  private def absolute(path: Path) = Paths.get(path.toUri.getPath)

  override def create(
      path: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    val writes = of(path)
    writes.reading()
    if (super.exists(path) && !overwrite) throw new FileAlreadyExistsException(path.toString)
    if (writes.objects) Files.createDirectories(absolute(path).getParent)
    else
      writes.change("create", path)(
        super.create(path, true, bufferSize, replication, blockSize, progress).close()
      )
    new FSDataOutputStream(new Written(writes, path), null)
  }

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = create(path, overwrite, bufferSize, replication, blockSize, progress)

  override def createNonRecursive(
      path: Path,
      permission: FsPermission,
      flags: java.util.EnumSet[CreateFlag],
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream =
    create(path, flags.contains(CreateFlag.OVERWRITE), bufferSize, replication, blockSize, progress)

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream =
    throw new UnsupportedOperationException("append")

  /** The bytes of a file: with a disk, half of them are there if the process is killed while it closes the file. */
  private class Written(writes: Writes, path: Path) extends OutputStream {
    private val bytes = new ByteArrayOutputStream
    private var isOpen = true

    override def write(b: Int): Unit = bytes.write(b)
    override def write(b: Array[Byte], from: Int, length: Int): Unit = bytes.write(b, from, length)

    override def close(): Unit = if (isOpen) {
      isOpen = false
      val all = bytes.toByteArray
      def put(length: Int): Unit = { Files.write(absolute(path), all.take(length)); () }
      writes.change("close", path, ifKilled = if (!writes.objects) put(all.length / 2))(put(all.length))
    }
  }

  override def mkdirs(path: Path): Boolean = {
    val writes = of(path)
    if (writes.objects) writes.reading()
    if (Files.isDirectory(absolute(path))) true
    else if (writes.objects) { Files.createDirectories(absolute(path)); true }
    else writes.change("mkdirs", path)(super.mkdirs(path))
  }

  override def mkdirs(path: Path, permission: FsPermission): Boolean = mkdirs(path)

  // Hadoop would start a process for it.
  override def setPermission(path: Path, permission: FsPermission): Unit = ()

  /** Object stores copy and delete. One that replaces an object deletes it before. */
  override def rename(from: Path, to: Path): Boolean = {
    val writes = of(to)
    writes.reading()
    if (!super.exists(from)) throw new FileNotFoundException(from.toString)
    if (!writes.objects) writes.change("rename", to)(super.rename(from, to))
    else {
      if (super.exists(to)) writes.change("delete", to)(super.delete(to, false))
      writes.change("copy", to)(Files.copy(absolute(from), absolute(to)))
      writes.change("delete", from)(super.delete(from, false))
    }
  }

  override def delete(path: Path, recursive: Boolean): Boolean = {
    val writes = of(path)
    writes.reading()
    if (!super.exists(path)) false
    else {
      if (writes.objects && recursive && Files.isDirectory(absolute(path)))
        super.listStatus(path).foreach(file => delete(file.getPath, recursive))
      writes.change("delete", path)(super.delete(path, recursive))
    }
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    of(path).reading()
    super.open(path, bufferSize)
  }

  override def getFileStatus(path: Path): FileStatus = {
    of(path).reading()
    super.getFileStatus(path)
  }

  override def listStatus(path: Path): Array[FileStatus] = {
    val writes = of(path)
    writes.reading()
    super.listStatus(path).filter(file => writes.isListed(file.getPath))
  }
}

private[streams] object FaultyFileSystem {
  val Scheme = "faulty"

  /** An object that is new is in no list before so many other changes. */
  private val Late = 5

  val Message = "killed before"

  final private class Killed(change: String) extends IOException(s"$Message $change")

  private val folders = new ConcurrentHashMap[String, Writes]

  /** Counts the changes below a local folder, and makes the one of the number `last` fail and all that follows it. */
  def watch(folder: java.nio.file.Path, objects: Boolean, last: Int = Int.MaxValue): Writes = {
    val writes = new Writes(objects, last)
    folders.put(folder.toString, writes)
    writes
  }

  private def of(path: Path): Writes = {
    val text = path.toUri.getPath
    var parent = Paths.get(text)
    while (parent != null && !folders.containsKey(parent.toString)) parent = parent.getParent
    if (parent == null) throw new IOException(s"$text is below no watched folder")
    folders.get(parent.toString)
  }

  /**
   * The changes below a folder.
   *
   * @param objects
   *   whether the folder is like an object store: an object appears when it is closed, to rename is to copy and to delete, and lists
   *   are late. Otherwise it is like a disk.
   * @param last
   *   the number of the change at which the process is killed, from 1
   */
  final class Writes(val objects: Boolean, last: Int) {
    private var made = Vector.empty[String]
    private var dead = false
    private val created = new ConcurrentHashMap[String, Int]

    /** Each change that was begun, as `rename /folder/file`. */
    def changes: Seq[String] = synchronized(made)

    def reading(): Unit = synchronized(if (dead) throw new Killed("reading"))

    def isListed(path: Path): Boolean = synchronized {
      !objects || !created.containsKey(path.toUri.getPath) ||
      made.size - created.get(path.toUri.getPath) >= Late
    }

    def change[T](kind: String, path: Path, ifKilled: => Unit = ())(body: => T): T = synchronized {
      reading()
      val change = s"$kind ${path.toUri.getPath}"
      made :+= change
      if (made.size == last) {
        dead = true
        ifKilled
        throw new Killed(change)
      }
      if (kind != "delete") created.putIfAbsent(path.toUri.getPath, made.size)
      else created.remove(path.toUri.getPath)
      body
    }
  }
}
