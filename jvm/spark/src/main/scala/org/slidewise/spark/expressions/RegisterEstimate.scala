package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.HyperLogLogPlusPlus
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.HyperLogLogPlusPlusHelper
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * Evaluates `approx_count_distinct` for a row of states, with Spark's result. Sums integers, two registers a table look-up;
 * Spark divides once for each register, in a dependent chain.
 *
 * The sum of `2^-register` is the same to the last bit: no sum of at most 2^15^ multiples of 2^-31^ is rounded. Spark
 * evaluates states with a register above 31, which stand for billions of values, and states of more registers.
 *
 * @param function
 *   the function, with its state at its place in the row
 * @see
 *   Heule, Nunkesser, Hall, "HyperLogLog in Practice", section 5
 */
final private[spark] case class RegisterEstimate(function: HyperLogLogPlusPlus)
    extends Expression
    with UnaryLike[Expression]
    with CodegenFallback {
  import RegisterEstimate._

  override def dataType: DataType = LongType
  override def nullable: Boolean = false

  override def child: Expression = function
  override protected def withNewChildInternal(newChild: Expression): RegisterEstimate =
    copy(function = newChild.asInstanceOf[HyperLogLogPlusPlus])

  private[this] val spark = function.hllppHelper
  private[this] val offset = function.mutableAggBufferOffset
  private[this] val end = offset + spark.numWords

  private[this] val places = PackedRegisters.InAWord * spark.numWords
  private[this] val registers = Integer.highestOneBit(places)
  private[this] val unused = (places - registers) * PackedRegisters.TallyOfZero

  private[this] val precision = Integer.numberOfTrailingZeros(registers)
  private[this] val alpha = precision match {
    case 4 => 0.673
    case 5 => 0.697
    case 6 => 0.709
    case _ => 0.7213 / (1 + 1.079 / registers)
  }

  override def eval(state: InternalRow): Any =
    if (registers > MostRegisters) spark.query(state, offset)
    else {
      var tally, any = 0L
      var word = offset
      while (word < end) {
        val packed = state.getLong(word)
        any |= packed
        tally += PackedRegisters.tally(packed)
        word += 1
      }
      if (PackedRegisters.haveLarge(any)) spark.query(state, offset) else estimate(tally - unused)
    }

  private def estimate(tally: Long): Long = {
    val zeros = PackedRegisters.zeros(tally)
    val raw = alpha * registers * registers / PackedRegisters.harmonicSum(tally)
    // Without a zero this is infinite, and not taken.
    val linear = registers * math.log(registers / zeros)
    val isSmall = linear <= Thresholds(precision - 4) || zeros > 0 && raw <= 2.5 * registers
    math.round(
      if (isSmall) linear
      else if (raw < 5.0 * registers) raw - spark.estimateBias(raw)
      else raw
    )
  }
}

private[spark] object RegisterEstimate {
  private val MostRegisters = 1 << 15
  private val Thresholds = HyperLogLogPlusPlusHelper.THRESHOLDS
}
