package org.slidewise.bench.kernels

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import org.slidewise.core.multisets.ColumnDictionary

/** Time for each row of the dictionary encoding of the columns of MultisetKernels. */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(MultisetKernels.Rows)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class DictionaryEncoding {

  @Param(Array("100", "0"))
  var distinct: Int = _

  private var values: Array[Long] = _
  private val dictionary = new ColumnDictionary

  @Setup
  def fill(): Unit = values = MultisetKernels.column(distinct)

  @Benchmark def encode(): Array[Int] = {
    dictionary.encode(values, null, MultisetKernels.Rows)
    dictionary.codes
  }

  @Benchmark def encodeInOrder(): Array[Int] = {
    dictionary.encodeInOrder(values, null, MultisetKernels.Rows)
    dictionary.codes
  }
}
