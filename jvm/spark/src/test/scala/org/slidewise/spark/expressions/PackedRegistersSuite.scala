package org.slidewise.spark.expressions

import scala.util.Random

import munit.FunSuite
import org.apache.spark.sql.catalyst.expressions.{Literal, SpecificInternalRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.HyperLogLogPlusPlus
import org.apache.spark.sql.types.LongType

class PackedRegistersSuite extends FunSuite {

  test("words of registers are merged as Spark merges them") {
    val function = new HyperLogLogPlusPlus(Literal(1L))
    val words = function.hllppHelper.numWords
    val registers = 512
    val random = new Random(7)
    def state(): SpecificInternalRow = {
      val row = new SpecificInternalRow(Seq.fill(words)(LongType))
      for (register <- 0 until registers) {
        val value = Seq(0, 1, 31, 32, 63, random.nextInt(64))(random.nextInt(6)).toLong
        val word = register / 10
        row.setLong(word, row.getLong(word) | value << 6 * (register % 10))
      }
      row
    }
    for (_ <- 0 until 200) {
      val (older, newer) = (state(), state())
      val merged = older.copy()
      function.hllppHelper.merge(merged, newer, 0, 0)
      for (word <- 0 until words)
        assertEquals(
          PackedRegisters.greatest(older.getLong(word), newer.getLong(word)),
          merged.getLong(word)
        )
    }
  }
}
