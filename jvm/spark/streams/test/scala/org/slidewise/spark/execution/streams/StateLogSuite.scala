package org.slidewise.spark.execution.streams

import scala.util.Random

import munit.FunSuite

import org.slidewise.spark.errors.CorruptState

class StateLogSuite extends FunSuite {

  private object plenty extends BlockMemory {
    def upTo(bytes: Long, log: StateLog): Long = bytes
  }

  /** Lends more and less, and asks for it back. */
  final private class Sparing(random: Random) extends BlockMemory {
    def upTo(bytes: Long, log: StateLog): Long = {
      if (random.nextInt(4) == 0) log.shrinkTo(random.nextLong(bytes))
      if (random.nextInt(2) == 0) bytes else random.nextLong(bytes)
    }
  }

  for (seed <- 1 to 8)
    test(
      s"rows can be read from the first to the last, through reopenings, and leave nothing behind: $seed"
    ) {
      val random = new Random(seed)
      val cells = new CellsInMemory
      val memory = if (seed % 2 == 0) plenty else new Sparing(new Random(seed))
      var log = new StateLog(cells, 2, CellsInMemory.structure, memory)
      var reader = log.reader()
      var first, end = 0L
      for (_ <- 1 to 200) {
        for (_ <- 1 to random.nextInt(if (random.nextInt(8) == 0) 1500 else 40)) {
          log.append(CellsInMemory.row(end, end * 7))
          end += 1
        }
        for (_ <- 1 to 20 if first < end) {
          val position = first + random.nextLong(end - first)
          assertEquals(reader(position).getLong(1), position * 7)
        }
        val until = first + random.nextLong(end - first + 1)
        if (random.nextInt(3) == 0) {
          log.release(until)
          first = until
        }
        if (random.nextInt(3) == 0) {
          val rest = log.close()
          log = new StateLog(cells, 2, CellsInMemory.structure, memory)
          reader = log.reader()
          log.reopen(first, end, rest)
        }
      }
      log.release(end)
      assert(cells.cells.isEmpty)
    }

  test("a reader notices that its log has gone on to another key") {
    val cells = new CellsInMemory
    val log = new StateLog(cells, 2, CellsInMemory.structure, plenty)
    val reader = log.reader()
    log.append(CellsInMemory.row(1, 10))
    assertEquals(reader(0).getLong(1), 10L)
    log.reopen(0, 0, PendingBlock.Empty)
    log.append(CellsInMemory.row(1, 20))
    assertEquals(reader(0).getLong(1), 20L)
  }

  test("rows that are used up before their block has to leave memory are never written") {
    val cells = new CellsInMemory
    val log = new StateLog(cells, 2, CellsInMemory.structure, plenty)
    for (i <- 0 until 100000) {
      log.append(CellsInMemory.row(i.toLong, 1))
      log.release(math.max(0, i - 1000).toLong)
    }
    assertEquals(cells.puts, 0)
  }

  test("rows that are missing are told apart from no rows") {
    val log = new StateLog(new CellsInMemory, 2, CellsInMemory.structure, plenty)
    log.reopen(0, 1000, PendingBlock.Empty)
    intercept[CorruptState](log.reader()(5))
  }
}
