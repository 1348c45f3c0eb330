package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.types._

import org.slidewise.core.batch.Frames
import org.slidewise.core.multisets._
import org.slidewise.spark.plan.{ArrayFunction, MultisetFunction, QuantileMethod, StateTypes}

/** A kernel of `org.slidewise.core.multisets` whose results are longs. The result of a frame without values is unspecified. */
abstract private[arrays] class LongMultisetKernel {
  def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Long]): Unit
}

/** A kernel of `org.slidewise.core.multisets` whose results are doubles. The result of a frame without values is unspecified. */
abstract private[arrays] class DoubleMultisetKernel {
  def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Double]): Unit
}

/** The kernels of [[MultisetFunction]]s, except for checked sums, which [[DistinctSumResult]] evaluates. */
private[arrays] object MultisetKernels {

  /** The kernel of a function whose results are longs; none if they are doubles. */
  def longs(function: ArrayFunction.OfMultiset): Option[LongMultisetKernel] = function.function match {
    case MultisetFunction.DistinctCount      => Some(counts())
    case quantile: MultisetFunction.Quantile => quantileOfLongs(function, quantile)
    case mode: MultisetFunction.Mode if isDouble(function.input.dataType) => None
    case MultisetFunction.Mode(greatest, _)                               => Some(decoded(modes(greatest)))
    case _                                                                => None
  }

  /** The kernel of a function whose results are doubles. */
  def doubles(function: ArrayFunction.OfMultiset): DoubleMultisetKernel = function.function match {
    case MultisetFunction.DistinctLongMean   => longMeans()
    case MultisetFunction.DistinctDoubleSum  => doubleSums()
    case MultisetFunction.DistinctDoubleMean => doubleMeans()
    case quantile: MultisetFunction.Quantile => quantiles(function, quantile)
    case MultisetFunction.Mode(greatest, _)  => decodedDoubles(modes(greatest), OrderedDoubles.toDouble(_))
    case other => throw new IllegalArgumentException(s"$other does not evaluate to doubles")
  }

  /** The bytes that the kernel holds for each row of the largest partition, beside the column's dictionary. */
  def bytesARow(function: ArrayFunction.OfMultiset): Long = function.function match {
    case MultisetFunction.DistinctCount      => DistinctCounts.BytesARow
    case MultisetFunction.DistinctLongSum(_) => DistinctSums.BytesARow
    case MultisetFunction.DistinctLongMean   => DistinctSums.BytesARow + CountBytes
    case MultisetFunction.DistinctDoubleSum  => DistinctDoubleSums.BytesARow
    case MultisetFunction.DistinctDoubleMean => DistinctDoubleSums.BytesARow + CountBytes
    case quantile: MultisetFunction.Quantile =>
      Percentiles.BytesARow + scratchBytes(quantile, function.result)
    case MultisetFunction.Mode(_, _) => Modes.BytesARow + CodeBytes
  }

  private def scratchBytes(quantile: MultisetFunction.Quantile, result: DataType): Long = {
    val codes = quantile.method match {
      case _: QuantileMethod.Interpolated => 0L
      case _                              => CodeBytes
    }
    codes + (if (StateTypes.isFloating(result)) 0L else DoubleBytes)
  }

  private val CountBytes = DistinctCounts.BytesARow + 8L
  private val CodeBytes = 4L
  private val DoubleBytes = 8L

  private def isDouble(dataType: DataType): Boolean = dataType == DoubleType

  private def counts(): LongMultisetKernel = new LongMultisetKernel {
    private[this] val kernel = new DistinctCounts
    override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Long]): Unit =
      kernel.frames(column.codes, column.cardinality, frames, out)
  }

  private def doubleSums(): DoubleMultisetKernel = new DoubleMultisetKernel {
    private[this] val kernel = new DistinctDoubleSums
    override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Double]): Unit =
      kernel.frames(column, frames, out)
  }

  private def longSums(): DoubleMultisetKernel = new DoubleMultisetKernel {
    private[this] val kernel = new DistinctSums
    override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Double]): Unit =
      kernel.totals(column, frames, out)
  }

  private def longMeans(): DoubleMultisetKernel = new DistinctMeans(longSums(), counts())
  private def doubleMeans(): DoubleMultisetKernel = new DistinctMeans(doubleSums(), counts())

  /** Finds a code for each frame. */
  private abstract class CodeKernel {
    def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Int]): Unit
  }

  private def modes(greatest: Boolean): CodeKernel = new CodeKernel {
    private[this] val kernel = new Modes
    override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Int]): Unit =
      kernel.frames(column.codes, column.cardinality, frames, !greatest, out)
  }

  private def ranked(rule: RankRule): CodeKernel = new CodeKernel {
    private[this] val kernel = new Percentiles
    private[this] val rules = Array(rule)
    override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Int]): Unit =
      kernel.ranked(column.codes, column.cardinality, rules, frames, Array(out))
  }

  private def quantileOfLongs(
      function: ArrayFunction.OfMultiset,
      quantile: MultisetFunction.Quantile
  ): Option[LongMultisetKernel] =
    if (StateTypes.isFloating(function.result)) None
    else Some(new QuantilesAsLongs(quantiles(function, quantile), asLong(function.result)))

  /** The conversion of a quantile, a double, to the result type. It follows Spark. */
  private def asLong(result: DataType): Double => Long = result match {
    case ByteType                                          => _.toByte.toLong
    case ShortType                                         => _.toShort.toLong
    case IntegerType | DateType | _: YearMonthIntervalType => _.toInt.toLong
    case decimal: DecimalType                              =>
      value => {
        val rounded = Decimal(value)
        rounded.changePrecision(decimal.precision, decimal.scale)
        rounded.toUnscaledLong
      }
    case _ => _.toLong
  }

  private def quantiles(
      function: ArrayFunction.OfMultiset,
      quantile: MultisetFunction.Quantile
  ): DoubleMultisetKernel = {
    val toDouble = decoder(function, quantile)
    quantile.method match {
      case method: QuantileMethod.Interpolated => interpolated(quantile, method.interpolation, toDouble)
      case method: QuantileMethod.Ranked       =>
        decodedDoubles(ranked(method.rank(quantile.fraction, quantile.descending)), toDouble(_))
    }
  }

  private def interpolated(
      quantile: MultisetFunction.Quantile,
      interpolation: Interpolation,
      toDouble: ValueDecoder
  ): DoubleMultisetKernel = new DoubleMultisetKernel {
    private[this] val kernel = new Percentiles
    private[this] val fractions = Array(quantile.fraction)
    override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Double]): Unit =
      kernel.interpolated(column, toDouble, interpolation, fractions, quantile.descending, frames, Array(out))
  }

  private def decoder(function: ArrayFunction.OfMultiset, quantile: MultisetFunction.Quantile): ValueDecoder =
    if (isDouble(function.input.dataType)) ValueDecoder.Doubles
    else if (quantile.scale == 0) ValueDecoder.Longs
    else ValueDecoder.decimals(quantile.scale)

  private def decoded(codes: CodeKernel): LongMultisetKernel = new LongMultisetKernel {
    private[this] var found = Array.emptyIntArray
    override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Long]): Unit = {
      if (found.length < frames.count) found = new Array[Int](frames.count)
      codes.evaluate(column, frames, found)
      var k = 0
      while (k < frames.count) {
        out(k) = if (found(k) < 0) 0L else column.value(found(k))
        k += 1
      }
    }
  }

  private def decodedDoubles(codes: CodeKernel, value: Long => Double): DoubleMultisetKernel =
    new DoubleMultisetKernel {
      private[this] var found = Array.emptyIntArray
      override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Double]): Unit = {
        if (found.length < frames.count) found = new Array[Int](frames.count)
        codes.evaluate(column, frames, found)
        var k = 0
        while (k < frames.count) {
          out(k) = if (found(k) < 0) 0.0 else value(column.value(found(k)))
          k += 1
        }
      }
    }
}

/** Means of distinct values. */
final private class DistinctMeans(sums: DoubleMultisetKernel, counts: LongMultisetKernel)
    extends DoubleMultisetKernel {
  private[this] var numbers = Array.emptyLongArray

  override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Double]): Unit = {
    numbers = PartitionColumn.room(numbers, frames.count)
    sums.evaluate(column, frames, out)
    counts.evaluate(column, frames, numbers)
    var k = 0
    while (k < frames.count) {
      out(k) = out(k) / numbers(k).toDouble
      k += 1
    }
  }
}

/** Quantiles in a result type whose values are stored as longs. */
final private class QuantilesAsLongs(quantiles: DoubleMultisetKernel, toLong: Double => Long)
    extends LongMultisetKernel {
  private[this] var exact = Array.emptyDoubleArray

  override def evaluate(column: ColumnDictionary, frames: Frames, out: Array[Long]): Unit = {
    exact = PartitionColumn.room(exact, frames.count)
    quantiles.evaluate(column, frames, exact)
    var k = 0
    while (k < frames.count) {
      out(k) = toLong(exact(k))
      k += 1
    }
  }
}
