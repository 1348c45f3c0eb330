package org.slidewise.spark.execution.streams.checkpoints

import java.nio.file.Path

import scala.util.Random

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair

import org.slidewise.fuzz.Mutations
import org.slidewise.spark.execution.streams.{StateCells, StreamSuite}
import org.slidewise.spark.shims.{SparkSessions, SparkStreaming}

/** Damaged cells of a state: `check` reports each in words or finds it valid, and allocates little. */
class DamagedCheckpointSuite extends StreamSuite {
  private val MoreMemory = 1L << 20

  private val window = "OVER (PARTITION BY k ORDER BY ts"

  private val answers = Seq(
    s"sum(n) $window ROWS BETWEEN 300 PRECEDING AND CURRENT ROW)",
    s"collect_list(n) $window ROWS BETWEEN 200 PRECEDING AND CURRENT ROW)",
    s"count(DISTINCT n) $window ROWS BETWEEN 300 PRECEDING AND CURRENT ROW)",
    s"count(*) $window RANGE BETWEEN CURRENT ROW AND INTERVAL 9 SECONDS FOLLOWING)"
  )

  private def run(checkpoint: Path): Unit = {
    val source = events()
    running(stream(source).selectExpr("*" +: answers: _*), checkpoint) { query =>
      source.addData((0 until 900).map(i => (if (i % 3 == 0) "a" else "b", i, i % 70)))
      query.processAllAvailable()
      source.addData((0 until 50).map(i => ("b", 890 + i, i)))
      query.processAllAvailable()
    }
    ()
  }

  test("a damaged cell is reported in words, and an undamaged one is not") {
    val checkpoint = temporary()
    withSettings("spark.sql.shuffle.partitions" -> 1)(run(checkpoint))
    val folder = new CheckpointFolder(
      new HadoopPath(checkpoint.toString),
      SparkSessions.of(spark).sessionState.newHadoopConf()
    )
    val query = StoppedQuery.in(folder)
    val operator = query.operators.of(0)
    val stores = query.stores(spark, operator)
    val whole = StateJobs.inspect(spark, operator.form, stores, query.version(0), 1)
    assertEquals(whole.problems, Nil)
    assertEquals(whole.keys, 2L)
    damage(operator.form, stores, query.version(0))
  }

  private def damage(form: StateForm, stores: StateStores, version: StoreVersion): Unit = {
    val open = stores.read(0, version)
    try {
      val scan = SparkStreaming.scan(open.store)
      val cells = scan.map(pair => (pair.key.copy(), pair.value.copy())).toIndexedSeq
      scan.close()
      val mutations = new Mutations(11, cells.map(_._2.getBinary(StateCells.DataField)))
      val project = UnsafeProjection.create(StateCells.valueSchema)
      val random = new Random(13)
      var (valid, damaged) = (0, 0)
      def report(key: UnsafeRow, value: UnsafeRow): PartitionReport = {
        val found = new PartitionReport
        form.scan(open.store).add(new UnsafeRowPair().withRows(key, value), found)
        found
      }
      cells.foreach { case (key, value) => assert(report(key.copy(), value).isSound, value) }
      for (_ <- 0 until Mutations.count / 100) {
        val (key, value) = cells(random.nextInt(cells.size))
        def number(field: Int) = if (random.nextInt(6) == 0) random.nextLong() else value.getLong(field)
        val bytes = mutations.next(value.getBinary(StateCells.DataField))
        val changed =
          project(InternalRow(number(StateCells.LowField), number(StateCells.HighField), bytes)).copy()
        val (found, allocated) = Mutations.allocating(report(key.copy(), changed))
        if (found.isSound) valid += 1 else damaged += 1
        assert(allocated < MoreMemory + 20L * bytes.length, allocated)
      }
      println(s"fuzz: DamagedCheckpointSuite: $valid valid, $damaged damaged")
      assert(damaged > 0 && valid > 0)
    } finally open.close()
  }
}
