package org.slidewise.spark.expressions

import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{CollectList, Count, TypedImperativeAggregate}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.sketch.{BloomFilter, CountMinSketch}

import org.slidewise.fuzz.{Mutations, MutationSuite}
import org.slidewise.spark.errors.{CorruptState, InvalidArgument}

/**
 * Damaged bytes in a column of sketches or in an aggregation buffer: each function answers or raises its error, and allocates at
 * most [[DamagedSketchesSuite.AllocationPerByte]] bytes for each byte that it reads, and
 * [[DamagedSketchesSuite.AllocationOfAny]].
 */
class DamagedSketchesSuite extends MutationSuite {
  import DamagedSketchesSuite._

  final private class Reader(val name: String, val valid: Seq[Array[Byte]])(val run: Array[Byte] => Any)

  private def literal(bytes: Array[Byte]) = Literal(bytes, BinaryType)
  private def long(n: Long) = Literal(n)

  private val digests: Seq[Array[Byte]] = for (rows <- Seq(0, 1, 900)) yield {
    val digest = org.slidewise.core.summaries.DyadicDigest.create(500, 0.1)
    for (i <- 0 until rows) digest.insert(i * 7L % 640, i % 9L)
    digest.toBytes
  }

  private val filters: Seq[Array[Byte]] = for (bits <- Seq(64L, 4096L)) yield {
    val out = new java.io.ByteArrayOutputStream
    val filter = BloomFilter.create(100, bits)
    for (i <- 0 until 50) filter.putLong(i.toLong)
    filter.writeTo(out)
    out.toByteArray
  }

  private val frequencies: Seq[Array[Byte]] = for (depth <- Seq(1, 5)) yield {
    val sketch = CountMinSketch.create(depth, 20, 3)
    for (i <- 0 until 50) sketch.add(i.toLong)
    sketch.toByteArray
  }

  private val text = AttributeReference("text", StringType)()
  private val number = AttributeReference("number", LongType)()
  private val rows = Seq.tabulate(30)(i => InternalRow(UTF8String.fromString("text" * (i % 4)), i.toLong))

  private def struct(fields: (String, Expression)*) =
    CreateNamedStruct(fields.flatMap { case (name, value) => Seq(Literal(name), value) })

  /** An aggregate's buffers of no, one and many rows, read and merged with another. */
  private def buffer[B](aggregate: TypedImperativeAggregate[B], kind: String = ""): Reader = {
    val bound = BindReferences
      .bindReference(aggregate.asInstanceOf[Expression], AttributeSeq(Seq(text, number)))
      .asInstanceOf[TypedImperativeAggregate[B]]
    def of(some: Seq[InternalRow]) = some.foldLeft(bound.createAggregationBuffer())(bound.update)
    new Reader(
      s"the buffer of $kind${aggregate.prettyName}",
      Seq(0, 1, 30).map(n => bound.serialize(of(rows.take(n))))
    )({ bytes =>
      val read = bound.merge(of(rows.take(3)), bound.deserialize(bytes))
      bound.serialize(read)
      bound.eval(read)
    })
  }

  private val readers: Seq[Reader] = Seq(
    new Reader("sliding_sketch_estimate", digests)(bytes =>
      SlidingSketchEstimate(literal(bytes), long(600), long(50)).eval()
    ),
    new Reader("sliding_sketch_bounds", digests)(bytes =>
      SlidingSketchBounds(literal(bytes), long(600), long(50)).eval()
    ),
    new Reader("sliding_sketch_union_agg", digests)({ bytes =>
      val union = new SlidingSketchUnion(literal(bytes))
      val merged = union.update(union.deserialize(digests.last), InternalRow.empty)
      union.eval(merged)
    }),
    new Reader("might_contain", filters)(bytes => MightContain(literal(bytes), long(7)).eval()),
    new Reader("count_min_sketch_estimate", frequencies)(bytes =>
      CountMinSketchEstimate(literal(bytes), long(7)).eval()
    ),
    new Reader("count_min_sketch_merge_agg", frequencies.tail)({ bytes =>
      val merge = new CountMinSketchMerge(literal(bytes))
      merge.eval(merge.update(merge.deserialize(frequencies.last), InternalRow.empty))
    }),
    buffer(new TopK(text, Literal(5))),
    buffer(new TopKBy(text, number, Literal(5))),
    buffer(NthOfFrame(text, 5, fromEnd = true, ignoreNulls = false)),
    buffer(new SlidingCountSketch(number, Literal(100L), Literal(0.1))),
    buffer(DistinctAggregate(Count(Seq(text, number))), "distinct "),
    buffer(DistinctAggregate(CollectList(text)), "distinct "),
    buffer(
      WithinGroup(
        NthOfFrame(text, 5, fromEnd = true, ignoreNulls = false),
        Seq(SortOrder(number, Ascending))
      ),
      "ordered "
    ),
    buffer(new NaiveBayesAggregate(text, struct("number" -> Cast(number, DoubleType), "text" -> text)))
  )

  private val everything = readers.flatMap(_.valid).toIndexedSeq

  for (reader <- readers) test(s"${reader.name}: damaged bytes raise its error or lead to an answer") {
    val mutations = new Mutations(reader.name.hashCode.toLong, everything)
    reader.valid.foreach(bytes => reader.run(bytes))
    var (answers, errors) = (0, 0)
    for (i <- 0 until Mutations.count / readers.size) {
      val bytes = mutations.next(reader.valid(i % reader.valid.size))
      def shown = bytes.map(b => f"$b%02x").mkString
      val (result, allocated) = Mutations.allocating(Try(reader.run(bytes)))
      result match {
        case Success(_)                                          => answers += 1
        case Failure(e @ (_: InvalidArgument | _: CorruptState)) =>
          errors += 1
          assert(e.getMessage.startsWith("[SLIDEWISE_"), s"$shown: $e")
        // What a task reports of a state of an aggregate; see StateCodec.
        case Failure(NonFatal(_)) if reader.name.startsWith("the buffer") => errors += 1
        case Failure(e) => throw new AssertionError(s"${reader.name} of $shown throws $e", e)
      }
      val limit = AllocationPerByte * bytes.length + AllocationOfAny
      // The first reading of some bytes may load classes.
      assert(
        allocated <= limit || Mutations.allocating(Try(reader.run(bytes)))._2 <= limit,
        s"${reader.name} of $shown allocates $allocated bytes, and at most $limit are stated"
      )
    }
    println(s"fuzz: ${reader.name}: $answers answers, $errors errors")
    assert(answers > 0 && errors > 0)
  }
}

object DamagedSketchesSuite {

  /** The core's, and as much for copies and for a second sketch. */
  val AllocationPerByte = 512L
  val AllocationOfAny: Long = 256L << 10
}
