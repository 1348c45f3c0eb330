package org.slidewise.spark.execution.streams

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.util.Properties

import org.apache.spark.{SparkEnv, TaskContext, TaskKilledException}
import org.apache.spark.memory.{MemoryConsumer, TaskMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.{LongType, StringType}

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.shims.SparkStreaming

class StreamWindowTaskSuite extends SparkSuite {
  import StreamWindowTaskSuite._

  test("a cancelled task stops among late rows, with no row answered") {
    val (killed, late) = inTask { () =>
      val batch =
        new Batch(new Store, row(_, 1), Many, watermark = Long.MaxValue - 1, context = interrupted())
      (batch.isKilled(), batch.counts.late)
    }
    assert(killed)
    assert(late <= CancellationCheck.Every, late)
  }

  test("a cancelled task stops among keys whose rows wait") {
    val (killed, keys) = inTask { () =>
      val batch = new Batch(new Store, i => row(i, i), Many, watermark = -1, context = interrupted())
      (batch.isKilled(), batch.counts.keys)
    }
    assert(killed)
    assert(keys <= CancellationCheck.Every, keys)
  }

  test("a cancelled task stops among rows that are answered") {
    val (killed, output) = inTask { () =>
      val batch =
        new Batch(new Store, row(_, 1), Many, watermark = Many, lateUntil = -1, context = interrupted())
      (batch.isKilled(), batch.counts.output)
    }
    assert(killed)
    assert(output <= CancellationCheck.Every, output)
  }

  test("a cancelled task stops in the scan of timers that have not come") {
    val (killed, keys) = inTask { () =>
      val store = new Store
      new Batch(store, i => row(i + 10, i), 5000, watermark = 0).run()
      val batch = new Batch(store, row(_, 1), 0, watermark = 5, context = interrupted())
      (batch.isKilled(), batch.counts.keys)
    }
    assert(killed)
    assertEquals(keys, 0L)
  }

  for (memory <- Seq("enough memory", "no memory"))
    test(s"all keys whose timers have come are processed once, with $memory") {
      val (answered, scans, leaked) = inTask { () =>
        val store = new Store
        new Batch(store, i => row(i + 10, i), 4500, watermark = 0).run()
        val before = store.scans
        val context = if (memory == "no memory") withoutMemory() else TaskContext.get()
        val answered = new Batch(store, row(_, 1), 0, watermark = 4000, context = context).run()
        (answered, store.scans - before, store.count(StateCells.Timers))
      }
      assertEquals(answered.sorted, (0L to 3990L).toList)
      assertEquals(leaked, 4500 - 3991)
      assertEquals(scans, if (memory == "no memory") 4 else 1)
    }

  test("a batch reads the timers that have come, and no others, however many keys there are") {
    val (answered, read, scans) = inTask { () =>
      val store = new Store
      new Batch(store, i => row((i + 10) * 1000000, i), 5000, watermark = 0).run()
      val before = store.scans
      val batch = new Batch(store, row(_, 1), 0, watermark = 20 * 1000000L)
      (batch.run(), batch.timersRead, store.scans - before)
    }
    assertEquals(answered.sorted, (0L to 10L).toList)
    assert(read <= 13, read) // a bucket has timers of at most two seconds
    assert(scans <= 12, scans)
  }

  test("a timer that stays is rewritten where there is no memory to remember it") {
    val written = inTask { () =>
      Seq(TaskContext.get(), withoutMemory()).map { context =>
        val store = new Store
        new Batch(store, i => row(i + 10, i), 100, watermark = 0).run()
        new Batch(store, i => row(i + 500, i), 100, watermark = 200, context = context).run()
        val batch = new Batch(store, i => row(i + 1000, i), 100, watermark = 600, context = context)
        (batch.run().size, batch.written)
      }
    }
    // The headers; without memory, the timers too.
    assertEquals(written, Seq((100, 100L), (100, 200L)))
  }
}

private object StreamWindowTaskSuite {
  val Many = 50000L

  private val time = AttributeReference("time", LongType)()
  private val number = AttributeReference("number", LongType)()
  private val text = AttributeReference("text", StringType)()
  private val input = Seq(time, number, text)

  def row(time: Long, number: Long): UnsafeRow = CellsInMemory.row(time, number)

  /** A store in memory that counts scans. */
  final class Store {
    var scans = 0

    private val underlying: StateStore =
      StoresOfCells.provider(StateCells.keySchema(Seq(number))).getStore(0)

    val counted: StateStore = Proxy
      .newProxyInstance(
        getClass.getClassLoader,
        Array[Class[_]](classOf[StateStore]),
        new InvocationHandler {
          override def invoke(proxy: AnyRef, method: Method, arguments: Array[AnyRef]): AnyRef = {
            if (method.getName == "prefixScan") scans += 1
            try method.invoke(underlying, arguments: _*)
            catch { case e: InvocationTargetException => throw e.getCause }
          }
        }
      )
      .asInstanceOf[StateStore]

    def count(section: Int): Int = {
      val cells = SparkStreaming.scan(underlying)
      try cells.count(_.key.getInt(0) == section)
      finally cells.close()
    }
  }

  /** A batch of `size` rows over `store`: a window that answers each row with itself, as soon as it is in order. */
  final class Batch(
      store: Store,
      rowAt: Long => UnsafeRow,
      size: Long,
      watermark: Long,
      lateUntil: Long = Long.MinValue,
      context: TaskContext = TaskContext.get()
  ) {
    val counts = new StreamCounts
    private val resources = new TaskResources(context)
    private val cells = new StateCells(store.counted, Seq(number), input)
    private val cancellation = new CancellationCheck(() => resources.stopIfCancelled())
    private object plenty extends BlockMemory {
      def upTo(bytes: Long, log: StateLog): Long = bytes
    }
    private def log(section: Int) = new StateLog(cells, section, CellsInMemory.structure, plenty)
    private val partition = new PartitionState(cells, None)
    private val timers =
      new Timers(cells, partition, resources, cancellation, watermark, (_, _) => false)
    private val key =
      new KeyState(
        cells,
        new PendingRows(cells, CellsInMemory.structure, 0),
        log(StateCells.Rows),
        log(StateCells.Waiting),
        Array.empty,
        timers,
        partition
      )
    private val times = BatchTimes(
      watermark,
      if (lateUntil == Long.MinValue) watermark else lateUntil,
      eager = false,
      _ => Long.MaxValue
    )
    private val task = new StreamWindowTask(
      new ArrivedRows(
        Iterator.iterate(0L)(_ + 1).takeWhile(_ < size).map(rowAt),
        UnsafeProjection.create(Seq(number), input),
        0,
        times,
        counts,
        LateRows.Dropped,
        cancellation
      ),
      cells,
      key,
      new KeyRun(
        key,
        UnsafeProjection.create(input, input),
        0,
        true,
        InternalRow.empty,
        UnsafeProjection.create(input, input),
        _ => false,
        cancellation
      ),
      times,
      timers,
      counts,
      () => ()
    )

    /** The numbers of the rows that are answered. */
    def run(): List[Long] =
      try task.map(_.getLong(1)).toList
      finally timers.close()

    def written: Long = cells.written
    def timersRead: Long = timers.read

    def isKilled(): Boolean =
      try {
        run()
        false
      } catch { case _: TaskKilledException => true }
  }

  /** A context of this task's memory that has been marked as interrupted. */
  def interrupted(): TaskContext = {
    val context = contextOf(new TaskResources(TaskContext.get()).memory)
    context.getClass.getMethod("markInterrupted", classOf[String]).invoke(context, "test")
    context
  }

  /** A context in which no memory is granted. */
  def withoutMemory(): TaskContext = contextOf(new TaskMemoryManager(SparkEnv.get.memoryManager, 0L) {
    override def acquireExecutionMemory(required: Long, consumer: MemoryConsumer): Long = 0L
  })

  def contextOf(memory: TaskMemoryManager): TaskContext = {
    val running = TaskContext.get()
    val constructor =
      Class.forName("org.apache.spark.TaskContextImpl").getConstructors.maxBy(_.getParameterCount)
    val context = constructor.newInstance(
      Int.box(0),
      Int.box(0),
      Int.box(0),
      Long.box(0L),
      Int.box(0),
      Int.box(1),
      memory,
      new Properties,
      null,
      running.taskMetrics(),
      // The number of processors is a whole number up to Spark 4.2.
      if (constructor.getParameterTypes.apply(10) == classOf[Int]) Int.box(1) else BigDecimal(1),
      Map.empty
    )
    context.asInstanceOf[TaskContext]
  }
}
