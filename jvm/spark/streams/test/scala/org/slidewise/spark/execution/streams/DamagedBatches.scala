package org.slidewise.spark.execution.streams

import scala.util.{Failure, Success, Try}

import munit.Assertions.assert
import org.apache.spark.SparkThrowable

import org.slidewise.spark.errors.CorruptState

/** What came of batches over damaged state: answers, and errors in words. */
final private[streams] class DamagedBatches extends Serializable {
  import DamagedBatches._

  private var (answers, errors, most) = (0, 0, 0L)
  private var unexpected = Vector.empty[String]

  /** Adds a batch that allocated `more` bytes than one over undamaged state. */
  def add(result: Try[_], more: Long): Unit = {
    most = math.max(most, more)
    result match {
      case Success(_)                                        => answers += 1
      case Failure(e: CorruptState) if e.getMessage.nonEmpty => errors += 1
      case Failure(e: SparkThrowable) if e.getCondition != null && !e.getCondition.startsWith("INTERNAL") =>
        errors += 1
      case Failure(e) => unexpected :+= s"$e at ${e.getStackTrace.take(12).mkString("\n  ")}"
    }
  }

  /** Fails on any other error, on more than [[MoreMemory]], or if all batches ended alike. */
  def check(name: String): Unit = {
    println(s"fuzz: $name: $answers answers, $errors errors, at most ${most >> 10} KiB more")
    assert(unexpected.isEmpty, s"${unexpected.size}: ${unexpected.distinct.take(5).mkString("\n")}")
    assert(most <= MoreMemory, most)
    assert(answers > 0 && errors > 0)
  }
}

private[streams] object DamagedBatches {

  /** A run of a batch takes milliseconds, and a reader of bytes alone microseconds. */
  val Fewer = 100

  val MoreMemory: Long = 16L << 20
}
