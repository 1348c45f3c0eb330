package org.slidewise.spark.execution.streams

import org.apache.spark.TaskContext

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.rows.RowLogSuite
import org.slidewise.spark.execution.task.TaskResources

class BlockMemorySuite extends SparkSuite {
  override protected def hasOwnSpark: Boolean = true

  test("memory is the task's, and given back when another consumer needs it") {
    val (before, freed, after, wrong) = inTask { () =>
      val memory = new TaskBlockMemory(new TaskResources(TaskContext.get()))
      val log = new StateLog(new CellsInMemory, StateCells.Rows, CellsInMemory.structure, memory)
      try {
        for (i <- 0L until 20000L) log.append(CellsInMemory.row(i, i))
        val before = memory.getUsed
        val freed = memory.spill(Long.MaxValue, new RowLogSuite.Hog(TaskContext.get()))
        val after = memory.getUsed
        val reader = log.reader()
        (before, freed, after, (0L until 20000L).count(i => reader(i).getLong(1) != i))
      } finally memory.close()
    }
    assert(before > 500000L, before)
    assert(after < 50000L, after)
    assertEquals(freed, before - after)
    assertEquals(wrong, 0)
  }

  test("where there is no memory a log keeps a few blocks, and rows are read from the state store") {
    val wrong = inTask { () =>
      val resources = new TaskResources(TaskContext.get())
      val hog = new RowLogSuite.Hog(TaskContext.get())
      val taken = hog.acquireMemory(Long.MaxValue / 4)
      val memory = new TaskBlockMemory(resources)
      val cells = new CellsInMemory
      val log = new StateLog(cells, StateCells.Rows, CellsInMemory.structure, memory)
      try {
        for (i <- 0L until 20000L) log.append(CellsInMemory.row(i, i))
        val reader = log.reader()
        (0L until 20000L).count(i => reader(i).getLong(1) != i) + (if (cells.puts < 100) 1 else 0)
      } finally {
        memory.close()
        hog.freeMemory(taken)
      }
    }
    assertEquals(wrong, 0)
  }
}
