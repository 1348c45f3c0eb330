package org.slidewise.spark.execution.exchange

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.blocks.{BlockDecoder, BlockEncoder, BlockLayout, BlockRows}
import org.slidewise.spark.execution.task.{HeapMemory, Tasks}

class PartitionedBlocksSuite extends SparkSuite {
  import PartitionedBlocksSuite._

  private def metric(): SQLMetric = SQLMetrics.createMetric(spark.sparkContext, "rows")

  for {
    input <- Seq("rows", "batches", "blocks")
    partitions <- Seq(1, 3, 200, 5000)
    (kind, longest) <- Seq("short" -> 40, "long" -> 100000)
    (memory, leaves) <- Seq("" -> Long.MaxValue, ", with little memory" -> 4096L, ", without memory" -> 0L)
  } test(s"$input of $partitions partitions and $kind texts arrive once and in order$memory") {
    for (seed <- 0 until 3) {
      val written = metric()
      val count = new Random(seed).nextInt(if (longest > 1000) 100 else 5000)
      val (found, wrong, held, afterwards) =
        inTask(() => read(leaves, seed, count, longest, partitions, written, input))
      val expected = (0L until count.toLong).groupBy(partitionOf(_, partitions))
      assertEquals(found, expected.map { case (partition, numbers) => partition -> numbers.toSeq })
      assertEquals(wrong, 0)
      assertEquals(written.value, count.toLong)
      assertEquals(afterwards, 0L)
      assert(held <= (16L << 20), held)
    }
  }

  test("when the first block comes, there is memory for a page of the shuffle's writer") {
    for (leaves <- Seq(1L << 20, 2L << 20, 10L << 20)) {
      val written = metric()
      val free = inTask { () =>
        val (hog, blocks) =
          open(leaves, 1, 100000, 400, 5000, written, if (leaves == (2L << 20)) "batches" else "rows")
        blocks.next()
        val writer = new HeapMemory(Tasks.resources())
        val free = writer.acquire(1L << 20)
        writer.releaseAll()
        blocks.close()
        hog.close()
        free
      }
      assert(free, leaves)
    }
  }

  test("partitions that together want more room than there is") {
    for (input <- Seq("rows", "batches", "blocks"); (longest, count) <- Seq(60 -> 400000, 2000 -> 20000)) {
      val written = metric()
      val (found, wrong, held, afterwards) =
        inTask(() => read(Long.MaxValue, 1, count, longest, 200, written, input))
      assertEquals(found.values.map(_.size).sum, count)
      assert(found.values.forall(numbers => numbers == numbers.sorted))
      assertEquals((wrong, afterwards), (0, 0L))
      assert(held <= (16L << 20), held)
    }
  }

  test("blocks are full where the rows of each partition come together") {
    val written = metric()
    val rows = inTask { () =>
      val sorted =
        rowsOf(1, 400000, 300).map(_.copy()).toArray.sortBy(row => partitionOf(row.getLong(0), 997))
      val write = BlockWrite(layout, 997, hashed = false, written, new SQLMetric("size"))
      val source = sorted.iterator
      counts(
        PartitionedBlocks.ofRows(source, row => partitionOf(row.getLong(0), 997), write, TaskContext.get())
      )
    }
    assertEquals(rows.map(_.toLong).sum, 400000L)
    // A block has 100 rows, but for the last one of each partition.
    assert(rows.size < 5000, rows.size)
  }

  test("blocks are full before they are handed out") {
    for (input <- Seq("rows", "batches", "blocks")) {
      val written = metric()
      val rows = inTask(() => counts(open(Long.MaxValue, 1, 100000, 1, 2, written, input)._2))
      // 24 bytes a row, as in Spark, of at most 64 KiB.
      assert(rows.dropRight(2).forall(_ > (if (input == "rows") 2700 else 500)), rows)
      assert(rows.forall(_ <= 2730), rows)
    }
  }
}

private object PartitionedBlocksSuite {

  def partitionOf(number: Long, partitions: Int): Int =
    if (number % 3 == 0) 0 else (number * 7919 % partitions).toInt

  def text(seed: Int, number: Long, longest: Int): UTF8String = {
    val random = new Random(seed * 31L + number)
    if (random.nextInt(9) == 0) null else UTF8String.fromString("x" * random.nextInt(longest))
  }

  /** The numbers of rows of the blocks. */
  def counts(blocks: PartitionedBlocks): Seq[Int] =
    blocks.map(block => BlockEncoder.countOf(block._2.asInstanceOf[UnsafeRow])).toList

  private val layout = new BlockLayout(Array[DataType](LongType, StringType))

  /** The numbers of the rows of each partition, how many texts are wrong, and the memory held at most and at the end. */
  def read(
      leaves: Long,
      seed: Int,
      count: Int,
      longest: Int,
      partitions: Int,
      written: SQLMetric,
      input: String
  ): (Map[Int, Seq[Long]], Int, Long, Long) = {
    val (hog, blocks) = open(leaves, seed, count, longest, partitions, written, input)
    val found = mutable.Map.empty[Int, mutable.Buffer[Long]]
    var held = 0L
    var wrong = 0
    blocks.foreach { record =>
      held = math.max(held, blocks.heldBytes)
      val numbers = found.getOrElseUpdate(record._1, mutable.Buffer.empty)
      new BlockRows(Iterator.single(record._2), layout).foreach { row =>
        numbers += row.getLong(0)
        if (row.getUTF8String(1) != text(seed, row.getLong(0), longest)) wrong += 1
      }
    }
    val afterwards = blocks.heldBytes
    hog.close()
    (found.map { case (partition, numbers) => partition -> numbers.toList }.toMap, wrong, held, afterwards)
  }

  /** Blocks of a task that leaves them some bytes of memory, and who holds the others. */
  def open(
      leaves: Long,
      seed: Int,
      count: Int,
      longest: Int,
      partitions: Int,
      written: SQLMetric,
      input: String
  ): (Tasks.Hog, PartitionedBlocks) = {
    val context = TaskContext.get()
    def rows = rowsOf(seed, count, longest)
    val waiting = if (input == "blocks") plainBlocks(rows, context) else Nil
    val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
    if (leaves < Long.MaxValue) hog.takeAllBut(leaves)
    val write = BlockWrite(layout, partitions, hashed = false, written, new SQLMetric("size"))
    val blocks = input match {
      case "rows" =>
        PartitionedBlocks.ofRows(rows, row => partitionOf(row.getLong(0), partitions), write, context)
      case "batches" =>
        PartitionedBlocks.ofBatches(batchesOf(seed, count, longest), new Numbered(partitions), write, context)
      case "blocks" =>
        val found = new BlockRows(waiting.iterator, layout, plain = true)
        PartitionedBlocks.ofBlocks(found, new NumberedRows(partitions), write, context)
    }
    (hog, blocks)
  }

  private def plainBlocks(rows: Iterator[InternalRow], context: TaskContext): Seq[InternalRow] = {
    val uncounted = new SQLMetric("sum")
    val write = BlockWrite(layout, partitions = 1, hashed = false, uncounted, uncounted, plain = true)
    PartitionedBlocks.ofRows(rows, _ => 0, write, context).map(_._2.copy()).toList
  }

  private def rowsOf(seed: Int, count: Int, longest: Int): Iterator[InternalRow] = {
    val project = UnsafeProjection.create(
      Seq(BoundReference(0, LongType, nullable = false), BoundReference(1, StringType, nullable = true))
    )
    Iterator.range(0, count).map(i => project(InternalRow(i.toLong, text(seed, i.toLong, longest))))
  }

  /** The same rows, in the same batch each time, of some thousand rows. */
  private def batchesOf(seed: Int, count: Int, longest: Int): Iterator[ColumnarBatch] = {
    val (numbers, texts) = (new OnHeapColumnVector(4000, LongType), new OnHeapColumnVector(4000, StringType))
    val batch = new ColumnarBatch(Array(numbers, texts))
    Iterator.range(0, count, 4000).map { first =>
      Seq(numbers, texts).foreach(_.reset())
      val rows = math.min(4000, count - first)
      for (row <- 0 until rows) {
        numbers.putLong(row, (first + row).toLong)
        text(seed, (first + row).toLong, longest) match {
          case null => texts.putNull(row)
          case text => texts.putByteArray(row, text.getBytes)
        }
      }
      batch.setNumRows(rows)
      batch
    }
  }

  final private class Numbered(partitions: Int) extends PartitionIds {
    override def read(batch: ColumnarBatch, from: Int, end: Int, into: Array[Int]): Unit =
      (from until end).foreach(row =>
        into(row - from) = partitionOf(batch.column(0).getLong(row), partitions)
      )
  }

  final private class NumberedRows(partitions: Int) extends BlockPartitions {
    private[this] var block: BlockDecoder = _
    override def begin(found: BlockDecoder): Unit = block = found
    override def of(row: Int): Int = partitionOf(block.words(0)(row), partitions)
  }
}
