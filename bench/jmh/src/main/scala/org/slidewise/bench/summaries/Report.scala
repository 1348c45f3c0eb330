package org.slidewise.bench.summaries

import java.nio.file.{Files, Path}

/** Prints the tables of `docs/summaries.md` and writes them, and its picture, there. */
object Report {
  private val page = Path.of("docs", "summaries.md")

  def main(args: Array[String]): Unit = {
    val counts = Bits.counts
    write("counts", Bits.table(counts))
    write("sums", Bits.sums)
    write("gold", Gold.table)
    write("network", Network.table)
    write("growth", Growth.table)
    write("steps", StepTimes.table)
    Files.writeString(Path.of("docs", "img", "summaries-bits.svg"), Chart.svg(counts :+ Bits.sumLine))
    ()
  }

  /** Puts `table` between its marks in the page. */
  private def write(name: String, table: Seq[Seq[String]]): Unit = {
    val text = markdown(table)
    println(text)
    val (begin, end) = (s"<!-- bench:$name -->", s"<!-- /bench:$name -->")
    val before = Files.readString(page)
    val (from, until) = (before.indexOf(begin), before.indexOf(end))
    require(from >= 0 && until > from, s"$page must have the lines $begin and $end")
    Files.writeString(page, before.take(from + begin.length) + "\n" + text + before.drop(until))
    ()
  }

  private def markdown(table: Seq[Seq[String]]): String = {
    val rule = "---" +: table.head.tail.map(_ => "---:")
    (table.head +: rule +: table.tail).map(_.mkString("| ", " | ", " |\n")).mkString
  }

  def whole(value: Double): String = f"$value%,.0f"

  def share(value: Double): String = f"${100 * value}%.4f %%"
}
