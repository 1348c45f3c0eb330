package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path}

import org.slidewise.fuzz.{Mutations, MutationSuite}
import org.slidewise.spark.errors.CorruptState

/** A suite of damaged metadata files: each is refused in words, or read, within the allocation that is stated here. */
abstract private[streams] class DamagedFiles extends MutationSuite {
  // Opening a file takes Hadoop milliseconds.
  private val Fewer = 200

  private val AllocationPerByte = 2000L
  private val AllocationOfAny = 2L << 20

  /**
   * Damages the description of operator 0 many times.
   *
   * @param folder
   *   the checkpoint
   * @param others
   *   other valid files
   * @param read
   *   reads the file and compares it with the query
   */
  protected def check(folder: Path, others: String*)(read: () => Unit): Unit = {
    val file = folder.resolve("slidewise/0.json")
    // Hadoop checks a file's bytes against this one.
    Files.deleteIfExists(folder.resolve("slidewise/.0.json.crc"))
    read()
    val valid = Files.readAllBytes(file) +: others.map(_.getBytes("UTF-8")).toIndexedSeq
    val mutations = new Mutations(5, valid ++ Seq("[" * 5000, "{\"a\":" * 5000).map(_.getBytes("UTF-8")))
    var (answers, errors) = (0, 0)
    for (i <- 0 until Mutations.count / Fewer) {
      val bytes = mutations.next(valid(i % valid.size))
      Files.write(file, bytes)
      def shown = new String(bytes, "UTF-8")
      val (_, allocated) = Mutations.allocating {
        try {
          read()
          answers += 1
        } catch {
          case e: CorruptState      => errors += 1; assert(e.getMessage.contains("damaged"))
          case e: CheckpointChanged => errors += 1; assert(e.getMessage.contains("state"))
          case e: Throwable         => throw new AssertionError(s"$shown: $e", e)
        }
      }
      assert(allocated <= AllocationPerByte * bytes.length + AllocationOfAny, s"$allocated bytes for $shown")
    }
    println(s"fuzz: ${getClass.getSimpleName}: $answers answers, $errors errors")
    assert(answers > 0 && errors > 0)
  }
}
