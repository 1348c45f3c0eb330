package org.slidewise.spark.execution.streams

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.SerializableConfiguration

import org.slidewise.fuzz.Mutations
import org.slidewise.spark.shims.SparkStreaming

/**
 * Batches over a damaged state store: each fails with `CorruptState` or an error of the query, or answers. It allocates at
 * most [[DamagedBatches.MoreMemory]] more than over the undamaged state.
 */
class DamagedStateSuite extends StreamSuite {
  import DamagedStateSuite._

  private def over(frame: String) = s"OVER (PARTITION BY k ORDER BY ts $frame)"

  private val windows: Seq[(String, Seq[String])] = Seq(
    "buffers of any type" -> Seq(
      "sum(n)",
      "max(k)",
      "collect_list(n)",
      "avg(CAST(n AS DECIMAL(30, 4)))",
      "top_k(n, 3)"
    )
      .map(_ + " " + over("ROWS BETWEEN 300 PRECEDING AND CURRENT ROW")),
    "frames that wait" -> Seq("count(n)", "min(n)")
      .map(_ + " " + over("RANGE BETWEEN INTERVAL 5 MINUTE PRECEDING AND INTERVAL 2 MINUTE FOLLOWING")),
    "growing frames" -> Seq("sum(n) " + over("ROWS UNBOUNDED PRECEDING")),
    "last occurrences" -> Seq(
      "count(DISTINCT n, k) " + over("ROWS BETWEEN 300 PRECEDING AND CURRENT ROW"),
      "collect_list(DISTINCT n) " +
        over("RANGE BETWEEN INTERVAL 5 MINUTE PRECEDING AND INTERVAL 1 MINUTE PRECEDING"),
      "count(DISTINCT k) " + over("RANGE BETWEEN INTERVAL 5 MINUTE PRECEDING AND CURRENT ROW")
    ),
    "frames of the last rows" -> Seq(
      "approx_sum(n, 10000, 0.1) " + over("ROWS BETWEEN 300 PRECEDING AND CURRENT ROW")
    )
  )

  /** The operator of a query that has run. */
  private def operatorOf(expressions: Seq[String]): StreamingSlidingWindowExec = {
    var found: Option[StreamingSlidingWindowExec] = None
    val source = events()
    running(stream(source).selectExpr("*" +: expressions: _*)) { query =>
      source.addData(("a", 1, 1))
      query.processAllAvailable()
      found = operatorsOf(query).headOption
    }
    found.get
  }

  for ((name, expressions) <- windows) test(s"$name: damaged state is refused in words or answered") {
    val operator = operatorOf(expressions)
    val columns = operator.child.output
    val factory = new StreamWindowFactory(
      operator.plan,
      operator.options,
      columns,
      columns,
      None,
      new SerializableConfiguration(new Configuration)
    )
    val keySchema = StateCells.keySchema(operator.plan.partitionSpec)
    val types = columns.map(_.dataType)
    val count = math.max(30, Mutations.count / DamagedBatches.Fewer / windows.size)
    inTask(() => run(name, new State(factory, keySchema, types), count)).check(name)
  }
}

private object DamagedStateSuite {

  /** Runs `count` batches, each over its own damage to the state, and returns what came of them. */
  private def run(name: String, state: State, count: Int): DamagedBatches = {
    state.batch(Nil, first = 1, size = 900, watermark = 500)
    val valid = state.cells
    def second(cells: Seq[(UnsafeRow, UnsafeRow)]) =
      Mutations.allocating(Try(state.batch(cells, first = 901, size = 40, watermark = 900)))
    second(valid)
    val undamaged = second(valid)._2
    val mutations =
      new Mutations(name.hashCode.toLong, valid.map(_._2.getBinary(StateCells.DataField)).toIndexedSeq)
    val random = new scala.util.Random(7)
    val batches = new DamagedBatches
    for (_ <- 0 until count) {
      val (result, allocated) = second(damage(valid, mutations, random))
      batches.add(result, allocated - undamaged)
    }
    batches
  }

  private def damage(
      cells: Seq[(UnsafeRow, UnsafeRow)],
      mutations: Mutations,
      random: scala.util.Random
  ): Seq[(UnsafeRow, UnsafeRow)] = {
    val at = random.nextInt(cells.size)
    val (key, value) = cells(at)
    val data = value.getBinary(StateCells.DataField)
    def number(field: Int) =
      if (random.nextInt(6) == 0) random.nextLong() >> random.nextInt(64) else value.getLong(field)
    random.nextInt(10) match {
      case 0 => cells.patch(at, Nil, 1)
      case 1 => cells.updated(at, key -> cells(random.nextInt(cells.size))._2)
      case 2 =>
        val bytes = mutations.next(value.getBytes)
        val row = new UnsafeRow(StateCells.valueSchema.size)
        row.pointTo(
          java.util.Arrays.copyOf(bytes, bytes.length + 64),
          Platform.BYTE_ARRAY_OFFSET,
          bytes.length & ~7
        )
        cells.updated(at, key -> row)
      case _ =>
        cells.updated(
          at,
          key -> State.value(number(StateCells.LowField), number(StateCells.HighField), mutations.next(data))
        )
    }
  }

  object State {
    private val project = UnsafeProjection.create(StateCells.valueSchema)
    def value(low: Long, high: Long, data: Array[Byte]): UnsafeRow =
      project(InternalRow(low, high, data)).copy()
  }

  /** A store in memory, and batches of one key over its cells. */
  final class State(factory: StreamWindowFactory, keySchema: StructType, types: Seq[DataType]) {
    private val project = UnsafeProjection.create(types.toArray)
    private val provider = StoresOfCells.provider(keySchema)

    /** After the last batch. */
    var cells: Seq[(UnsafeRow, UnsafeRow)] = Nil

    private def row(second: Int): InternalRow = project(InternalRow(types.map {
      case _: StringType  => UTF8String.fromString("a")
      case TimestampType  => second * 1000000L
      case LongType       => second.toLong
      case BooleanType    => second % 3 > 0
      case d: DecimalType => Decimal(BigDecimal(second), d.precision, d.scale)
      case _              => second
    }: _*)).copy()

    /** Runs a batch of rows of one second after the other, and returns the number of rows that it answers. */
    def batch(before: Seq[(UnsafeRow, UnsafeRow)], first: Int, size: Int, watermark: Long): Int = {
      val store = provider.getStore(0)
      val memory = new TaskMemoryManager(SparkEnv.get.memoryManager, TaskContext.get().taskAttemptId())
      val context = StreamWindowTaskSuite.contextOf(memory)
      try {
        before.foreach { case (key, value) => store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME) }
        val late = Some(if (first == 1) 0L else 500L * 1000)
        val rows = (first until first + size).iterator.map(row)
        val answered = factory.start(rows, store, late, Some(watermark * 1000), context)(_ => ()).size
        val scan = SparkStreaming.scan(store)
        cells = scan.map(pair => (pair.key.copy(), pair.value.copy())).toList
        scan.close()
        answered
      } finally {
        context.getClass.getMethod("markTaskCompleted", classOf[Option[_]]).invoke(context, None)
        memory.cleanUpAllAllocatedMemory()
        store.abort()
      }
    }
  }
}
