package org.slidewise.spark.execution.states

import scala.util.Random

import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{DataType, DoubleType, LongType, ObjectType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.core.frames.{FrameAlgorithm, RecalculationFrames, StatesOutgrown, TreeFrames}
import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.rows.{RowLog, RowsByPosition}
import org.slidewise.spark.execution.task.Tasks
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.AggregateCall

/** States of aggregate functions in pages and as objects. */
class RowStatesSuite extends SparkSuite {
  import RowStatesSuite._

  test("a state of no rows that is null is encoded") {
    val description = Families.of(NullableSum(AttributeReference("id", LongType)()))
    assert(description.hasNullForNoRows)
    val codec = new StateCodec(Seq(description))
    val empty = new GenericInternalRow(1)
    assert(codec.fromBytes(codec.toBytes(empty)).isNullAt(0))
  }

  for ((what, functions, inPages) <- cases) {

    test(s"$what: ${if (inPages) "pages" else "objects"}") {
      val paged = inTask(() => withStates(functions)((states, _) => states.isInstanceOf[PagedStates]))
      assertEquals(paged, inPages)
    }

    test(s"$what: states that are combined in any grouping answer as one that takes row by row") {
      val (expected, left, tree, lifted) = inTask { () =>
        withStates(functions) { (states, answer) =>
          states.reserve(Rows + 8)
          states.lift(0, 0L, Rows.toLong)
          val first = answer(1)

          states.clear(Rows)
          (0 until Rows).foreach(states.combine(Rows, Rows, _))
          val left = answer(Rows)

          states.clear(Rows + 1)
          (0 until Rows / 2).foreach(states.combine(Rows + 1, Rows + 1, _))
          states.clear(Rows + 2)
          (Rows / 2 until Rows).foreach(states.combine(Rows + 2, Rows + 2, _))
          states.combine(Rows + 3, Rows + 1, Rows + 2)
          val tree = answer(Rows + 3)

          states.clear(Rows + 4)
          states.accumulate(Rows + 4, 0L, Rows.toLong)
          (answer(Rows + 4), left, tree, first == answer(1))
        }
      }
      assertEquals(left, expected)
      assertEquals(tree, expected)
      assert(lifted, "combining changed the newer state")
    }

    test(s"$what: frames in any order in a tree, with memory for all, some and no nodes") {
      def answers(maxBytes: Long, algorithm: RowStates => FrameAlgorithm) = inTask { () =>
        withStates(functions, maxBytes) { (states, answer) =>
          val frames = algorithm(states)
          val random = new Random(45)
          Seq.fill(60) {
            val ends = Seq.fill(2)(random.nextInt(Rows + 1).toLong)
            if (random.nextInt(20) == 0) frames.reset()
            answer(frames.slide(ends.min, ends.max))
          }
        }
      }
      val expected = answers(0L, new RecalculationFrames(_))
      for (maxBytes <- Seq(1L << 20, 3000L, 1000L, 0L))
        assertEquals(answers(maxBytes, new TreeFrames(_)), expected, s"in $maxBytes bytes")
    }

    test(s"$what: a copy stays as it is") {
      val (before, copy, restored) = inTask { () =>
        withStates(functions) { (states, answer) =>
          states.reserve(2)
          states.clear(0)
          states.accumulate(0, 0L, 20L)
          val before = answer(0)
          val kept = states.copyOf(0)
          states.accumulate(0, 20L, 40L)
          states.put(1, kept)
          val copy = answer(1)
          states.accumulate(1, 20L, 40L)
          (before, copy, answer(1) == answer(0))
        }
      }
      assertEquals(copy, before)
      assert(restored)
    }
  }

  test("objects that outgrow their limit are dropped, but for the first") {
    val (fits, filled, used) = inTask { () =>
      withStates(Seq(CollectList(id)), maxBytes = 20000L) { (states, _) =>
        states.reserve(1)
        val fits = states.tryReserve(40)
        var filled = 1
        try
          while (filled < 40) {
            states.clear(filled)
            states.accumulate(filled, 0L, Rows.toLong)
            filled += 1
          }
        catch { case _: StatesOutgrown => }
        (fits, filled, states.getUsed)
      }
    }
    assert(fits)
    assert(filled < 40 && filled > 2, filled)
    assert(used < 10000L, used)
  }

  test("a state that grows with its rows is charged as long as there is memory, and grows on without") {
    val (charged, used, peak) = inTask { () =>
      val functions =
        new FrameFunctions(
          Seq(AggregateCall(Families.of(CollectList(id)), None)),
          Seq(0),
          attributes,
          keepsStates = true
        )
      val same = UnsafeProjection.create(attributes.map(_.dataType).toArray)(row(1))
      val endless = new RowsByPosition {
        override def apply(position: Long): UnsafeRow = same
      }
      val states = RowStates(functions, endless, Tasks.resources(), maxBytes = 1L << 20)
      val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
      states.reserve(1)
      hog.takeAllBut(1L << 20)
      def used(rows: Long): Long = {
        // As for a frame without rows between others.
        states.reserveBesideEmpty()
        states.clear(1)
        states.clear(0)
        states.accumulate(0, 0L, rows)
        states.getUsed
      }
      try {
        val few = used(10000L)
        val many = used(500000L)
        (few, many, states.peakMemory)
      } finally {
        hog.close()
        states.close()
      }
    }
    assert(charged > 10000L, charged)
    assertEquals(used, 0L)
    assert(peak > (1L << 20), peak)
  }

  test("the size of objects is followed while they grow") {
    val sizes = new StateSizes(Seq(ObjectType(classOf[Array[Long]])))
    val estimated = (1 to 400).map { n =>
      val state = new SpecificInternalRow(Seq(ObjectType(classOf[Array[Long]])))
      state.update(0, new Array[Long](math.pow(1.03, n).toInt))
      (sizes.of(state), 8L * math.pow(1.03, n).toInt)
    }
    val short = estimated.filter { case (estimate, size) => estimate < size / 2 }
    assert(short.isEmpty, short)
  }

  test("pages beyond their limit are refused, and cost nothing") {
    val (few, many, used) = inTask { () =>
      withStates(Seq(Sum(id)), maxBytes = 65536L) { (states, _) =>
        (states.tryReserve(16), states.tryReserve(1 << 20), states.getUsed)
      }
    }
    assert(few)
    assert(!many)
    assert(used <= 65536L, used)
  }
}

object RowStatesSuite {
  private val Rows = 100
  private val id = AttributeReference("id", LongType)()
  private val text = AttributeReference("s", StringType)()
  private val number = AttributeReference("x", DoubleType)()
  private val attributes = Seq(id, text, number)

  private val cases: Seq[(String, Seq[AggregateFunction], Boolean)] = Seq(
    ("a sum and a count", Seq(Sum(id), Count(Seq(text))), true),
    ("an extreme and a distinct count", Seq(Max(number), HyperLogLogPlusPlus(text)), true),
    ("strings", Seq(Max(text), First(text, ignoreNulls = true), Last(text, ignoreNulls = false)), false),
    ("lists beside numbers", Seq(CollectList(text), Sum(id)), false),
    ("bytes that are written in place", Seq(BitmapConstructAgg(id)), false),
    ("a function whose state of no rows is null", Seq(NullableSum(id)), false)
  )

  private def row(i: Int): InternalRow =
    InternalRow(
      if (i % 7 == 3) null else i * 31L % 17,
      if (i % 5 == 0) null else UTF8String.fromString("text " + i * 13 % 29),
      if (i % 3 == 0) null else i / 4.0
    )

  private def withStates[T](functions: Seq[AggregateFunction], maxBytes: Long = 1L << 20)(
      body: (RowStates, Int => Seq[String]) => T
  ): T = {
    val log = RowLog.of(attributes, Tasks.resources())
    val project = UnsafeProjection.create(attributes.map(_.dataType).toArray)
    (0 until Rows).foreach(i => log.append(project(row(i))))
    val filtered = functions.map(f => AggregateCall(Families.of(f), Some(Not(EqualTo(id, Literal(4L))))))
    val combined = new FrameFunctions(filtered, functions.indices, attributes, keepsStates = true)
    val states = RowStates(combined, log.reader(), Tasks.resources(), maxBytes)
    val types = functions.map(_.dataType)
    def answer(slot: Int): Seq[String] = {
      val results = new SpecificInternalRow(types)
      states.lower(slot, results)
      types.zipWithIndex.map { case (dataType, i) => shown(results.get(i, dataType), functions(i)) }
    }
    try body(states, answer)
    finally {
      states.close()
      log.close()
    }
  }

  private def shown(value: Any, function: AggregateFunction): String = value match {
    case list: ArrayData    => list.toSeq[AnyRef](elementOf(function)).mkString("[", ",", "]")
    case bytes: Array[Byte] => bytes.indices.filter(bytes(_) != 0).map(i => i -> bytes(i)).mkString
    case other              => String.valueOf(other)
  }

  private def elementOf(function: AggregateFunction): DataType = function.children.head.dataType
}

/** A sum whose state is null until it has a row, as those of Hive's functions. */
final case class NullableSum(
    child: Expression,
    override val mutableAggBufferOffset: Int = 0,
    override val inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[Array[Long]]
    with UnaryLike[Expression] {
  override def createAggregationBuffer(): Array[Long] = null
  override def update(buffer: Array[Long], row: InternalRow): Array[Long] = {
    val sum = if (buffer == null) Array(0L) else buffer
    sum(0) += Option(child.eval(row)).fold(0L)(_.asInstanceOf[Long])
    sum
  }
  override def merge(buffer: Array[Long], input: Array[Long]): Array[Long] = {
    val sum = if (buffer == null) Array(0L) else buffer
    sum(0) += input(0)
    sum
  }
  override def eval(buffer: Array[Long]): Any = if (buffer == null) null else buffer(0)
  override def serialize(buffer: Array[Long]): Array[Byte] = BigInt(buffer(0)).toByteArray
  override def deserialize(bytes: Array[Byte]): Array[Long] = Array(BigInt(bytes).toLong)
  override def dataType: DataType = LongType
  override def nullable: Boolean = true
  override def withNewMutableAggBufferOffset(offset: Int): NullableSum = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): NullableSum = copy(inputAggBufferOffset = offset)
  override protected def withNewChildInternal(child: Expression): NullableSum = copy(child = child)
}
