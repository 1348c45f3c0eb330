package org.slidewise.spark.execution.sorting

import scala.util.Random

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.Platform
import org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.blocks._
import org.slidewise.spark.execution.columns.FieldVector
import org.slidewise.spark.execution.task.Tasks

/**
 * Rows of any types that are sorted, whichever of their fields are columns: they come as rows or blocks, and are read as rows or
 * batches, from memory or after a spill, with or without results.
 */
class StoredFieldsSuite extends SparkSuite {
  import StoredFieldsSuite._

  override protected def hasOwnSpark: Boolean = true

  for {
    blocks <- Seq(false, true)
    batches <- Seq(false, true)
    end <- Seq(InMemory, Spilled, External)
  }
    test(
      s"rows come as ${if (blocks) "blocks" else "rows"}, and are read as ${if (batches) "batches" else "rows"}: $end"
    ) {
      val seeds = (0 until (if (end == External) 20 else 60)).map(_ * 2 + (if (blocks) 1 else 0))
      assertEquals(inTask(() => seeds.flatMap(difference(_, blocks, batches, end)).toList), Nil)
    }

  test("columns hold fields of fixed size, but for those that comparisons need") {
    val attributes =
      Seq("k", "t", "v", "s").zip(Seq(IntegerType, TimestampType, DoubleType, StringType)).map {
        case (name, dataType) => AttributeReference(name, dataType)()
      }
    val (k, t, v, s) = (attributes(0), attributes(1), attributes(2), attributes(3))
    def logged(order: Attribute, whole: Boolean) = inTask { () =>
      val spec = new SortSpec(Seq(k), Seq(SortOrder(order, Descending)), radixInSpark = false, peers = 1)
      val sorter = new HeapMemoryOf
      val rows = new ArrivingRows(
        Tasks.resources(),
        attributes,
        spec,
        Seq(InputColumn(v), InputColumn(Cast(k, LongType))),
        new GroupNumbers,
        whole,
        sorter
      )
      rows.fields.loggedAttributes.map(_.name)
    }
    assertEquals(logged(t, whole = false), Seq("s"))
    assertEquals(logged(s, whole = false), Seq("s"))
    assertEquals(logged(v, whole = false), Seq("s"))
    assertEquals(logged(t, whole = true), Seq("k", "t", "v", "s"))
  }
}

object StoredFieldsSuite {
  sealed private trait End
  private case object InMemory extends End
  private case object Spilled extends End
  private case object External extends End

  final private class HeapMemoryOf extends org.slidewise.core.selection.HeapBudget {
    override def acquire(bytes: Long): Boolean = true
    override def release(bytes: Long): Unit = ()
  }

  /** Another consumer of the task's memory, which gives all back when a consumer of a class asks for memory. */
  final private class HogBefore(other: Class[_])
      extends MemoryConsumer(Tasks.resources().memory, 0L, MemoryMode.ON_HEAP) {
    def takeAll(): Unit = acquireMemory(Long.MaxValue / 2)
    def close(): Unit = freeMemory(getUsed)
    override def spill(size: Long, trigger: MemoryConsumer): Long = {
      val held = if (other.isInstance(trigger)) getUsed else 0L
      freeMemory(held)
      held
    }
  }

  private val results = Seq(LongType, BooleanType, FloatType, IntegerType, DoubleType).zipWithIndex.map {
    case (dataType, i) => AttributeReference(s"r$i", dataType)()
  }

  /** The results of the row at a place; no value in each seventh. */
  private def resultsAt(place: Int): Seq[Any] =
    if (place % 7 == 3) results.map(_ => null)
    else
      Seq(place - 5L, place % 2 == 0, place / 3f, 3 - place, if (place % 5 == 0) Double.NaN else -place / 2.0)

  private def words(place: Int): Seq[Long] = Seq(
    place - 5L,
    if (place % 2 == 0) 1L else 0L,
    java.lang.Float.floatToRawIntBits(place / 3f).toLong,
    3L - place,
    java.lang.Double.doubleToRawLongBits(if (place % 5 == 0) Double.NaN else -place / 2.0)
  )

  private def evaluator: SortedResults = (from: Int, until: Int, into: Array[FieldVector]) => {
    into.foreach(_.clearNulls())
    for (place <- from until until; i <- results.indices)
      if (place % 7 == 3) into(i).setNull(place - from) else into(i).words(place - from) = words(place)(i)
    until
  }

  /** A table, and how it is sorted. */
  final private case class Table(
      attributes: Seq[Attribute],
      rows: Seq[UnsafeRow],
      partition: Seq[Attribute],
      order: Seq[SortOrder],
      inputs: Seq[Expression],
      whole: Boolean
  ) {
    def describe: String =
      s"${attributes.map(_.dataType.sql)}, by ${partition.map(_.sql)}, ${order.map(_.sql)}, inputs ${inputs.map(_.sql)}"

    def spec: SortSpec = new SortSpec(partition, order, radixInSpark = false, peers = order.size)

    def inOrder: Seq[UnsafeRow] = {
      val ordering = new InterpretedOrdering(partition.map(SortOrder(_, Ascending)) ++ order, attributes)
      rows.sorted(ordering.asInstanceOf[Ordering[UnsafeRow]])
    }
  }

  private object Table {
    def random(random: Random, onlyFlat: Boolean, count: Int, mostTypes: Int = 6): Table = {
      def pick[T](from: Seq[T], most: Int): Seq[T] = random.shuffle(from).take(random.nextInt(most + 1))
      // A field by which rows can always be sorted.
      val types = LongType +: RandomRows
        .types(random, if (mostTypes == 6 && random.nextInt(10) == 0) 80 else mostTypes)
        .toSeq
      val kept = types.filter { t =>
        if (onlyFlat) FieldVector.holds(t)
        else t != CalendarIntervalType // a null has any bytes in Spark's rows
      }
      val attributes = kept.zipWithIndex.map { case (dataType, i) => AttributeReference(s"c$i", dataType)() }
      val rows = RandomRows.rows(kept.toArray, random, count)
      val keys = attributes.filter { a =>
        a.dataType match {
          case IntegerType | LongType | DateType | StringType | ShortType => true
          case decimal: DecimalType                                       => decimal.precision == 9
          case _                                                          => false
        }
      }
      val ordered = attributes.filter(a => RowOrdering.isOrderable(a.dataType) && a.dataType != NullType)
      val order = (attributes.head +: pick(ordered.tail, 2)).drop(random.nextInt(2)).map { a =>
        SortOrder(
          a,
          if (random.nextBoolean()) Ascending else Descending,
          if (random.nextBoolean()) NullsFirst else NullsLast,
          Nil
        )
      }
      // Computed, and perhaps too large: no inputs are read after it has failed.
      val computed =
        if (random.nextInt(3) > 0) Nil
        else Seq(Add(attributes.head, Literal(if (random.nextBoolean()) 1L else Long.MaxValue)))
      val inputs: Seq[Expression] = computed ++ pick(attributes, 3).flatMap { a =>
        a.dataType match {
          case LongType | DoubleType | TimestampType | IntegerType | DateType => Some(a)
          case ShortType => Some(Cast(a, if (random.nextBoolean()) LongType else DoubleType))
          case ByteType  => Some(Cast(a, LongType))
          case _         => None
        }
      }
      val partition = if (order.isEmpty) keys.take(1) else pick(keys, 2)
      Table(attributes, rows, partition, order, inputs, random.nextInt(4) == 0)
    }
  }

  private def blocksOf(table: Table, random: Random): Iterator[UnsafeRow] = {
    val layout = new BlockLayout(table.attributes.map(_.dataType).toArray)
    table.rows.grouped(1 + random.nextInt(700)).map { rows =>
      val stage = new StagedRows(layout)
      stage.resize(rows.size, rows.map(_.getSizeInBytes).sum)
      rows.foreach(stage.add)
      val encoder = new BlockEncoder(layout, hashed = false)
      val size = encoder.encode(stage)
      val block = new UnsafeRow(0)
      block.pointTo(encoder.bytes, Platform.BYTE_ARRAY_OFFSET.toLong, size)
      block
    }
  }

  /** The first row that is not as it should be; none if all are. */
  private def difference(seed: Int, blocks: Boolean, batches: Boolean, end: End): Option[String] = {
    val random = new Random(seed)
    val table =
      // So many rows that they are moved together.
      if (seed % 20 < 2 && end != External) Table.random(random, onlyFlat = batches, 70000, mostTypes = 3)
      else Table.random(random, onlyFlat = batches, 1 + random.nextInt(3000))
    val (found, expected) = run(table, random, blocks, batches, end)
    val place = found.zip(expected).indexWhere { case (got, wanted) => got != wanted }
    if (place >= 0) {
      val (got, wanted) = (found(place).getBytes, expected(place).getBytes)
      val at = got.indices.indexWhere(i => i >= wanted.length || got(i) != wanted(i))
      Some(
        s"seed $seed, place $place of ${expected.size}, ${got.length} and ${wanted.length} bytes differ from $at; ${table.describe}"
      )
    } else if (found.size != expected.size)
      Some(s"seed $seed: ${found.size} rows, not ${expected.size}; ${table.describe}")
    else None
  }

  /** The rows that came of sorting a table, and those that should. */
  private def run(
      table: Table,
      random: Random,
      blocks: Boolean,
      batches: Boolean,
      end: End
  ): (Seq[UnsafeRow], Seq[UnsafeRow]) = {
    val sorter = new PartitionSorter(
      Tasks.resources(),
      table.attributes,
      table.spec,
      results,
      table.inputs.map(InputColumn(_)),
      table.whole
    )
    val hog = new HogBefore(classOf[UnsafeExternalSorter])
    val limit = if (blocks) 0 else random.nextInt(table.rows.size)
    def takeMemory[T](rows: Iterator[T]) = rows.zipWithIndex.map { case (row, i) =>
      if (end == External && i == limit) hog.takeAll()
      row
    }
    val evaluates = end != External && random.nextInt(4) > 0 || batches
    try {
      val rows =
        if (blocks)
          new BlockRows(
            takeMemory(blocksOf(table, random)),
            new BlockLayout(table.attributes.map(_.dataType).toArray)
          )
        else takeMemory(table.rows.iterator)
      var inMemory = false
      val sorted = sorter.sort(
        rows,
        _ => {
          inMemory = true
          if (evaluates) Some(evaluator) else None
        }
      )
      assert(inMemory == (end != External), "whether the rows were sorted in memory")
      hog.close()
      val types = table.attributes.map(_.dataType) ++ (if (!sorted.finished) Nil else results.map(_.dataType))
      val spillAt = if (end == Spilled) random.nextInt(table.rows.size + 1) else -1
      val found =
        if (!batches) rowsOf(sorted.rows, sorter, spillAt)
        else rowsOf(sorted.batches(types), types, sorter, spillAt)
      val joined = UnsafeProjection.create(types.toArray)
      val expected = table.inOrder.zipWithIndex.map { case (row, place) =>
        val values = if (types.size == table.attributes.size) Nil else resultsAt(place)
        joined(
          InternalRow.fromSeq(
            row.toSeq(StructType(table.attributes.map(a => StructField(a.name, a.dataType)))) ++ values
          )
        ).copy()
      }
      (found, expected)
    } finally {
      hog.close()
      sorter.close()
    }
  }

  private def rowsOf(rows: Iterator[InternalRow], sorter: PartitionSorter, spillAt: Int): Seq[UnsafeRow] = {
    val found = Vector.newBuilder[UnsafeRow]
    var i = 0
    while (rows.hasNext) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      if (i == spillAt) sorter.spill(Long.MaxValue, sorter)
      found += row.copy()
      i += 1
    }
    found.result()
  }

  private def rowsOf(
      batches: Iterator[ColumnarBatch],
      types: Seq[DataType],
      sorter: PartitionSorter,
      spillAt: Int
  ): Seq[UnsafeRow] = {
    val whole = UnsafeProjection.create(types.toArray)
    val found = Vector.newBuilder[UnsafeRow]
    var i = 0
    while (batches.hasNext) {
      val batch = batches.next()
      for (row <- 0 until batch.numRows) {
        if (i == spillAt) sorter.spill(Long.MaxValue, sorter)
        found += whole(batch.getRow(row)).copy()
        i += 1
      }
    }
    found.result()
  }
}
