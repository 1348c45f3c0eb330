package org.slidewise.spark.refresh

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import org.apache.commons.io.IOUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, FileSystem, Path}

/**
 * Replaces directories of partitions by new ones: either all of them, or none.
 *
 * New partitions are written to a folder of the table that Spark's readers do not see. A journal then lists the directories to
 * replace. Once the journal exists, this refresh completes the change or, if it dies or fails, the next refresh does. Readers that list the
 * table while directories are renamed may see new partitions beside old ones.
 *
 * A lock file excludes other refreshes. The lock of a killed refresh remains, and the error of the next refresh names the lock file.
 *
 * @param folder
 *   the folder for all files of refreshes
 */
final private[refresh] class PartitionSwap(
    folder: Path,
    val root: Path,
    conf: Configuration,
    target: String
) {
  import PartitionSwap._

  private val files: FileSystem = root.getFileSystem(conf)
  private val id = UUID.randomUUID.toString
  private val lock = new Path(folder, "lock")
  private val journal = new Path(folder, "journal")
  private val completed = new Path(folder, "completed")
  private var isLocked = false

  /** The folder for new partitions. */
  val staged: Path = new Path(folder, s"$id/new")

  /** Takes the lock, and completes a change that another refresh has left. Returns whether [[published]] was not called for one. */
  def begin(): Boolean = {
    files.mkdirs(folder)
    try write(lock, s"$id ${java.time.Instant.now}")
    catch {
      case e: FileAlreadyExistsException        => throw locked(e)
      case e: IOException if files.exists(lock) => throw locked(e)
    }
    isLocked = true
    val left = read(journal)
    left.foreach(complete)
    // Removes the folders of refreshes that died before they wrote a journal.
    files.listStatus(folder).filter(_.isDirectory).foreach(found => files.delete(found.getPath, true))
    left.isDefined || files.exists(completed)
  }

  /** Records that all readers find the new partitions. */
  def published(): Unit = files.delete(completed, false)

  private def locked(cause: Throwable) = new ConflictingRefresh(
    s"Another refresh of $target is under way: ${read(lock).getOrElse("")}",
    s"refresh again when it has ended; if it was killed, delete $lock",
    cause
  )

  /** The directories of all partitions, relative to the table. */
  def existing(depth: Int): Seq[String] = new PartitionFolders(root, files).at(depth)

  /**
   * Replaces directories by the staged ones. Removes the directories of `replaced` that have no staged one.
   *
   * @param depth
   *   the number of partition columns
   */
  def commit(depth: Int, replaced: Seq[String]): Unit = {
    val written = new PartitionFolders(staged, files).at(depth)
    val removed = replaced.filterNot(written.toSet).distinct
    val lines = id +: (written.map(Put + _) ++ removed.map(Remove + _))
    val draft = new Path(folder, s"$id/journal")
    write(draft, lines.mkString("\n"))
    if (!files.rename(draft, journal))
      throw new IOException(s"cannot rename $draft to $journal")
    try complete(lines.mkString("\n"))
    catch {
      case e: IOException =>
        throw new IOException(
          s"$target has only a part of its new partitions: ${e.getMessage}. The next refresh completes the change",
          e
        )
    }
  }

  /** Ends the refresh. If its change is incomplete, its files remain for the next refresh to complete it. */
  def end(): Unit = if (isLocked) {
    isLocked = false
    try if (!read(journal).exists(_.startsWith(id))) files.delete(new Path(folder, id), true)
    finally files.delete(lock, false)
    // Another refresh may have begun, or have ended and removed the folder.
    try if (files.listStatus(folder).isEmpty) files.delete(folder, false)
    catch { case _: IOException => }
  }

  /**
   * Carries out the journal, from the start or from where another refresh stopped. If a staged directory no longer exists, it has
   * already replaced its partition.
   */
  private def complete(text: String): Unit = {
    val lines = text.split('\n').toSeq
    def of(kind: String, directory: String) = new Path(folder, s"${lines.head}/$kind/$directory")
    lines.tail.foreach { line =>
      val directory = line.drop(Put.length)
      val (to, old) = (new Path(root, directory), of("old", directory))
      if (line.startsWith(Remove)) { if (files.exists(to)) move(to, old) }
      else if (files.exists(of("new", directory))) {
        if (files.exists(to)) move(to, old)
        move(of("new", directory), to)
      }
    }
    files.delete(completed, false)
    move(journal, completed)
  }

  private def move(from: Path, to: Path): Unit = {
    files.mkdirs(to.getParent)
    if (!files.rename(from, to)) throw new IOException(s"cannot rename $from to $to")
  }

  private def write(file: Path, text: String): Unit = {
    val out = files.create(file, false)
    try IOUtils.write(text, out, UTF_8)
    finally out.close()
  }

  private def read(file: Path): Option[String] =
    try {
      val in = files.open(file)
      try Some(IOUtils.toString(in, UTF_8))
      finally in.close()
    } catch { case _: FileNotFoundException => None }
}

private[refresh] object PartitionSwap {
  val Folder = "_slidewise_refresh"

  private val Put = "put "
  private val Remove = "rm  "
}
