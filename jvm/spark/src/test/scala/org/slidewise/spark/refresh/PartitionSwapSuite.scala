package org.slidewise.spark.refresh

import java.io.{File, IOException}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => Local}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, FSDataOutputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** Whatever kills a refresh, the next one finds either all partitions replaced or none. */
class PartitionSwapSuite extends FunSuite {
  private val folders = FunFixture[Local](_ => Files.createTempDirectory("swap"), _ => ())

  private val Before = Map("p=1" -> "old 1", "p=2" -> "old 2", "p=3" -> "old 3")
  private val After = Map("p=1" -> "new 1", "p=3" -> "old 3", "p=4" -> "new 4")

  private def write(folder: Local, partitions: Map[String, String]): Unit = partitions.foreach {
    case (name, text) =>
      Files.createDirectories(folder.resolve(name))
      Files.write(folder.resolve(name).resolve("part"), text.getBytes(UTF_8))
  }

  private def read(folder: Local): Map[String, String] =
    folder.toFile.listFiles.toSeq
      .filter(_.getName.startsWith("p="))
      .map { partition =>
        partition.getName -> new String(Files.readAllBytes(new File(partition, "part").toPath), UTF_8)
      }
      .toMap

  private def swapIn(folder: Local): PartitionSwap = {
    val conf = new Configuration
    conf.set("fs.stopping.impl", classOf[StoppingFileSystem].getName)
    conf.setBoolean("fs.stopping.impl.disable.cache", true)
    val root = new Path(s"stopping://$folder")
    new PartitionSwap(new Path(root, PartitionSwap.Folder), root, conf, "t")
  }

  /** Replaces p=1, removes p=2 and adds p=4. */
  private def refresh(folder: Local): Unit = {
    val swap = swapIn(folder)
    replacePartitions(swap, folder)
    swap.published()
    swap.end()
  }

  private def replacePartitions(swap: PartitionSwap, folder: Local): Unit = {
    swap.begin()
    write(
      folder.resolve(PartitionSwap.Folder).resolve(swap.staged.getParent.getName).resolve("new"),
      After - "p=3"
    )
    swap.commit(1, Seq("p=1", "p=2"))
  }

  folders.test("a change replaces, adds and removes partitions, and leaves no files of its own") { folder =>
    write(folder, Before)
    refresh(folder)
    assertEquals(read(folder), After)
    assertEquals(folder.toFile.list.toSet, After.keySet)
  }

  test("killed before any of its operations, it has changed nothing or is completed by the next one") {
    interruptEach(StoppingFileSystem.left = _)(refresh)
  }

  test("failed in any of its operations, it has changed nothing or is completed by the next one") {
    interruptEach(StoppingFileSystem.failing = _) { folder =>
      val swap = swapIn(folder)
      try replacePartitions(swap, folder)
      finally swap.end()
    }
  }

  /** Runs a refresh once for each of its operations, with `interrupt` given the operation's number, and then the next one. */
  private def interruptEach(interrupt: Int => Unit)(run: Local => Unit): Unit = {
    var (at, outcomes) = (0, Set.empty[Map[String, String]])
    var isInterrupted = true
    while (isInterrupted) {
      val folder = Files.createTempDirectory("swap")
      write(folder, Before)
      interrupt(at)
      isInterrupted =
        try { run(folder); false }
        catch { case _: IOException if StoppingFileSystem.hasInterrupted => true }
      StoppingFileSystem.resume()
      // As the error of the next refresh says.
      Files.deleteIfExists(folder.resolve(PartitionSwap.Folder).resolve("lock"))
      val next = swapIn(folder)
      if (next.begin()) next.published()
      next.end()
      val found = read(folder)
      assert(found == Before || found == After, s"interrupted at $at: $found")
      assertEquals(folder.toFile.list.toSet, found.keySet, s"interrupted at $at")
      outcomes += found
      at += 1
    }
    assertEquals(outcomes, Set(Before, After))
    assert(at > 12, s"$at operations")
  }

  folders.test("a second refresh at a time is refused, and leaves the lock of the first") { folder =>
    write(folder, Before)
    val (first, second) = (swapIn(folder), swapIn(folder))
    first.begin()
    for (_ <- 1 to 2) {
      val error = intercept[ConflictingRefresh](second.begin())
      assert(error.getMessage.contains("SLIDEWISE_REFRESH_CONFLICT"), error.getMessage)
      assert(error.getMessage.contains(s"${PartitionSwap.Folder}/lock"), error.getMessage)
      second.end()
    }
    first.end()
    second.begin()
    second.end()
    assertEquals(read(folder), Before)
  }

  folders.test("what a killed refresh has not published, the next one does") { folder =>
    write(folder, Before)
    val first = swapIn(folder)
    replacePartitions(first, folder)
    first.end()
    for (_ <- 1 to 2) {
      val killed = swapIn(folder)
      assert(killed.begin())
      killed.end()
    }
    val next = swapIn(folder)
    assert(next.begin())
    next.published()
    next.end()
    assert(!swapIn(folder).begin())
  }

  folders.test("the folder of refreshes is gone when one ends") { folder =>
    write(folder, Before)
    val swap = swapIn(folder)
    swap.begin()
    Files
      .walk(folder.resolve(PartitionSwap.Folder))
      .sorted(java.util.Comparator.reverseOrder())
      .forEach(Files.delete(_))
    swap.end()
    assertEquals(read(folder), Before)
  }

  folders.test("the first partition is an empty directory") { folder =>
    Files.createDirectories(folder.resolve("p=0"))
    write(folder, Map("p=1/q=a" -> "kept"))
    val partitions = new PartitionFolders(new Path(folder.toUri), FileSystem.getLocal(new Configuration))
    assertEquals(partitions.depth, 2)
    assertEquals(partitions.at(2), Seq("p=1/q=a"))
  }

  folders.test("partitions of several columns") { folder =>
    write(folder, Map("p=1/q=a" -> "old", "p=1/q=b" -> "kept"))
    val swap = swapIn(folder)
    swap.begin()
    val staged = folder.resolve(PartitionSwap.Folder).resolve(swap.staged.getParent.getName).resolve("new")
    write(staged, Map("p=2/q=a" -> "new"))
    assertEquals(swap.existing(2).toSet, Set("p=1/q=a", "p=1/q=b"))
    swap.commit(2, Seq("p=1/q=a"))
    swap.end()
    assert(Files.exists(folder.resolve("p=2/q=a/part")))
    assert(Files.exists(folder.resolve("p=1/q=b/part")))
    assert(!Files.exists(folder.resolve("p=1/q=a")))
  }
}

/** Local files below `stopping:/`. Fails all operations that change something, after a number of them, or one of them. */
final class StoppingFileSystem extends RawLocalFileSystem {
  private def change[A](operation: => A): A = {
    if (StoppingFileSystem.left <= 0) throw new IOException("killed")
    StoppingFileSystem.failing -= 1
    if (StoppingFileSystem.failing == -1) throw new IOException("failed")
    StoppingFileSystem.left -= 1
    operation
  }

  override def getScheme: String = "stopping"
  override def getUri: URI = URI.create("stopping:///")
  override def mkdirs(path: Path): Boolean = change(super.mkdirs(path))
  override def rename(from: Path, to: Path): Boolean = change(super.rename(from, to))
  override def delete(path: Path, recursive: Boolean): Boolean = change(super.delete(path, recursive))

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream =
    change(super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress))
}

object StoppingFileSystem {
  @volatile var left: Int = Int.MaxValue

  /** The number of operations before the one that fails; a large one if none does. */
  @volatile var failing: Int = Int.MaxValue

  /** Whether an operation has failed since [[resume]]. */
  def hasInterrupted: Boolean = left <= 0 || failing < 0

  def resume(): Unit = {
    left = Int.MaxValue
    failing = Int.MaxValue
  }
}
