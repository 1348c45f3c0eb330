package org.slidewise.spark.refresh

import java.io.FileNotFoundException

import org.apache.hadoop.fs.{FileSystem, Path}

/** The directories of a table's partitions, such as `day=2026-01-31`. Lists no files of partitions. */
final private[refresh] class PartitionFolders(root: Path, files: FileSystem) {

  /** The number of partition columns, derived from the first directory of each level. */
  def depth: Int = {
    def depthOf(parent: Path): Int =
      names(parent).headOption.fold(0)(name => 1 + depthOf(new Path(parent, name)))
    depthOf(root)
  }

  /** The directories of all partitions, relative to the table, in the order of their names. */
  def at(depth: Int): Seq[String] = below(root, depth)

  private def below(parent: Path, depth: Int): Seq[String] =
    if (depth == 0) Seq("")
    else
      names(parent).flatMap { name =>
        below(new Path(parent, name), depth - 1).map(rest => if (rest.isEmpty) name else s"$name/$rest")
      }

  private def names(parent: Path): Seq[String] = {
    val found =
      try files.listStatus(parent).toSeq
      catch { case _: FileNotFoundException => Nil }
    found
      .filter(_.isDirectory)
      .map(_.getPath.getName)
      .filter(name => name.contains('=') && !name.startsWith("."))
      .sorted
  }
}
