package org.slidewise.spark.execution.streams.hopping

import java.nio.file.Files
import java.util.UUID

import scala.util.{Random, Try}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.functions.{expr, window}
import org.apache.spark.unsafe.Platform

import org.slidewise.fuzz.Mutations
import org.slidewise.spark.execution.streams.{CancellationCheck, DamagedBatches, StreamSuite}
import org.slidewise.spark.plan.HoppingWindowPlan
import org.slidewise.spark.shims.SparkStreaming
import org.slidewise.spark.shims.SparkStreaming.StreamingQueryWrapper

/**
 * Batches over damaged panes of hopping windows: each fails with `CorruptState` or an error of the query, or hands out panes. It
 * allocates at most [[DamagedBatches.MoreMemory]] more than over the undamaged panes.
 */
class DamagedPanesSuite extends StreamSuite {
  import DamagedPanesSuite._

  // Buffers of Spark's own objects, such as those of collect_list, are read by Spark.
  private val calls = Seq("sum(n)", "max(k)", "avg(CAST(n AS DECIMAL(30, 4)))", "min_by(k, n)") ++
    Seq("top_k(n, 3)", "naive_bayes_agg(k, struct(n))")

  /** The operator of a query over two keys and a minute, and the partial aggregates that reached it. */
  private def ofQuery(): (HoppingWindowStateExec, Seq[UnsafeRow]) = {
    val source = events()
    val columns = calls.map(expr)
    val answers = source
      .toDF()
      .selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts", "_3 AS n")
      .groupBy(expr("k"), window(expr("ts"), "30 seconds", "10 seconds"))
      .agg(columns.head, columns.tail: _*)
    val query = writing(answers, temporary())((_: Row) => ())
      .outputMode("complete")
      .start()
    try {
      source.addData((1 to 60).map(second => (if (second % 3 == 0) "a" else "bbbbbbbbb", second, second * 7)))
      query.processAllAvailable()
      val plan = query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution.executedPlan
      val operator = plan.collectFirst { case state: HoppingWindowStateExec => state }.get
      val partials = operator.child.execute().map(_.asInstanceOf[UnsafeRow].copy()).collect()
      (operator, partials.toSeq.sortBy(row => (row.getUTF8String(0), row.getLong(1))))
    } finally query.stop()
  }

  test("damaged panes are refused in words or handed out") {
    val (operator, partials) = ofQuery()
    val state = new State(operator.plan, operator.child.output, partials)
    state.batch(Nil, 0)
    val valid = state.cells
    assertEquals(valid.size, partials.size)
    val undamaged = state.Modes.indices.map { mode =>
      state.batch(valid, mode)
      Mutations.allocating(state.batch(valid, mode))._2
    }
    val mutations = new Mutations(11, valid.map(_._2.getBytes).toIndexedSeq)
    val random = new Random(7)
    val batches = new DamagedBatches
    for (i <- 0 until math.max(90, Mutations.count / DamagedBatches.Fewer)) {
      val mode = i % state.Modes.size
      val cells = damage(valid, mutations, random)
      val (result, allocated) = Mutations.allocating(Try(state.batch(cells, mode)))
      batches.add(result, allocated - undamaged(mode))
    }
    batches.check("panes")
  }
}

private object DamagedPanesSuite {

  private type Cell = (UnsafeRow, UnsafeRow)

  private def damage(cells: Seq[Cell], mutations: Mutations, random: Random): Seq[Cell] = {
    val at = random.nextInt(cells.size)
    val (key, value) = cells(at)
    random.nextInt(10) match {
      case 0 => cells.patch(at, Nil, 1)
      case 1 => cells.updated(at, key -> cells(random.nextInt(cells.size))._2)
      case 2 =>
        val other = key.copy()
        other.setLong(other.numFields - 1, random.nextLong() >> random.nextInt(64))
        cells.updated(at, other -> value)
      case _ =>
        val bytes = mutations.next(value.getBytes)
        val row = new UnsafeRow(value.numFields)
        // The bytes after the row are of another object of the heap; here they are of this array.
        val padded = java.util.Arrays.copyOf(bytes, bytes.length + 64)
        row.pointTo(padded, Platform.BYTE_ARRAY_OFFSET, bytes.length & ~7)
        cells.updated(at, key -> row)
    }
  }

  /** A store in memory, and batches of the same partial aggregates over its panes. */
  final class State(plan: HoppingWindowPlan, input: Seq[Attribute], partials: Seq[UnsafeRow]) {
    private val Minute = 60L * 1000 * 1000
    private val provider = StateStoreProvider.createAndInit(
      StateStoreProviderId(
        StateStoreId(Files.createTempDirectory("panes").toString, 0, 0, StateStoreId.DEFAULT_STORE_NAME),
        UUID.randomUUID
      ),
      PaneStore.keySchema(plan),
      PaneStore.valueSchema(plan),
      PaneStore.encoder(plan),
      useColumnFamilies = false,
      new StateStoreConf,
      new Configuration,
      useMultipleValuesPerKey = false,
      stateSchemaProvider = None
    )
    private val check = new CancellationCheck(() => ())

    val Modes = IndexedSeq[(Iterator[InternalRow], PaneStore) => PaneStateTask](
      new AllPanes(_, plan, _, check, _ => ()),
      new CompletePanes(_, plan, _, Watermarks(0, Minute), check, _ => ()),
      new TouchedPanes(_, plan, _, Some(Watermarks(0, Minute / 2)), check, _ => ())
    )

    /** After the last batch. */
    var cells: Seq[Cell] = Nil

    /** Runs a batch in a mode, and returns the number of panes that it hands out. */
    def batch(before: Seq[Cell], mode: Int): Int = {
      val store = provider.getStore(0)
      try {
        before.foreach { case (key, value) => store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME) }
        val handedOut = Modes(mode)(partials.iterator, new PaneStore(store, plan, input)).size
        val scan = SparkStreaming.scan(store)
        cells = scan.map(pair => (pair.key.copy(), pair.value.copy())).toList
        scan.close()
        handedOut
      } finally store.abort()
    }
  }
}
