package org.slidewise.bench

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._

/**
 * Events a microsecond of windows of a duration, over real events: how many a window holds varies with the hour and the
 * season. At each event, all leave that are `minutes` old or older (in bulk), the event enters, and the window is asked.
 *
 * `events` is a file of lines `minute,number`, in order; its end is followed by its start, as much later. The times are
 * kept beside the window, in a ring, for every algorithm alike.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 7.3,
 *   Fig. 12
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
class EventTimeBenchmark {
  import EventTimeBenchmark.{Cursor, Events}

  @Param(Array(".build/bench-data/flights.csv"))
  var events: String = _

  @Param(Array("sum", "geomean", "bloom"))
  var operator: String = _

  @Param(Array("60", "1440", "10080"))
  var minutes: Int = _

  @Param(Array("two-stacks-lite", "daba-lite", "fiba"))
  var algorithm: String = _

  private var subject: Subject = _
  private var oldest: Cursor = _
  private var next: Cursor = _

  @Setup
  def make(): Unit = {
    val lines = Files.readAllLines(Path.of(events)).toArray(Array.empty[String]).map(_.split(','))
    val (times, numbers) = (lines.map(_(0).toLong), lines.map(_(1).toLong))
    subject = Subject(operator, algorithm, 1)
    oldest = new Cursor(times, numbers)
    next = new Cursor(times, numbers)
    event()
    while (subject.size == next.passed) event() // measured from the first eviction on, as in the paper
  }

  private def event(): Double = {
    val from = next.time - minutes
    var leaving = 0
    while (leaving < subject.size && oldest.time <= from) {
      leaving += 1
      oldest.advance()
    }
    if (leaving > 0) subject.evict(leaving)
    subject.insert(next.number)
    next.advance()
    subject.query()
  }

  @Benchmark
  @OperationsPerInvocation(Events)
  def pass(): Double = {
    var all = 0.0
    var i = 0
    while (i < Events) {
      all += event()
      i += 1
    }
    all
  }
}

object EventTimeBenchmark {
  final val Events = 10000

  /** An event of those that come again and again, each time later by as long as all of them take. */
  private final class Cursor(times: Array[Long], numbers: Array[Long]) {
    private[this] var at = 0
    private[this] var later = 0L
    var passed: Long = 0L

    def time: Long = times(at) + later
    def number: Long = numbers(at)
    def advance(): Unit = {
      passed += 1
      at += 1
      if (at == times.length) {
        at = 0
        later += times.last - times.head + 1
      }
    }
  }
}
