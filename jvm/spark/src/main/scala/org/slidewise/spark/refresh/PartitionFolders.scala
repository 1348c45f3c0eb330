package org.slidewise.spark.refresh

import java.io.FileNotFoundException

import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/** The directories of a table's partitions, such as `day=2026-01-31`. Lists no files of partitions. */
final private[refresh] class PartitionFolders(root: Path, files: FileSystem) {

  /** The number of partition columns, derived from the first directory of each level that is not empty. */
  def depth: Int = depthOf(root).getOrElse(0)

  /** The number of levels below a directory; none if it is empty. */
  private def depthOf(parent: Path): Option[Int] = {
    val found = in(parent)
    val below = names(found)
    if (below.isEmpty) Some(0).filter(_ => found.nonEmpty)
    else
      below.iterator.map(name => depthOf(new Path(parent, name))).collectFirst { case Some(levels) =>
        levels + 1
      }
  }

  /** The directories of all partitions, relative to the table, in the order of their names. */
  def at(depth: Int): Seq[String] = below(root, depth)

  private def below(parent: Path, depth: Int): Seq[String] =
    if (depth == 0) Seq("")
    else
      names(in(parent)).flatMap { name =>
        below(new Path(parent, name), depth - 1).map(rest => if (rest.isEmpty) name else s"$name/$rest")
      }

  private def in(parent: Path): Seq[FileStatus] =
    try files.listStatus(parent).toSeq
    catch { case _: FileNotFoundException => Nil }

  private def names(found: Seq[FileStatus]): Seq[String] =
    found
      .filter(_.isDirectory)
      .map(_.getPath.getName)
      .filter(name => name.contains('=') && !name.startsWith("."))
      .sorted
}
