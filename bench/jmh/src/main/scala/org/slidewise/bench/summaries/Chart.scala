package org.slidewise.bench.summaries

/** Bits against ε as a drawing, both axes in powers of ten. */
private[summaries] object Chart {
  private final val (width, height, left, bottom, top, right) = (760, 420, 80, 60, 20, 190)
  private val colours = Seq("#7d8b99", "#1f618d", "#c0392b", "#e59866", "#2c3e50", "#5b8c5a")
  private val (fewest, most) = (1, 8)
  private val (greatest, least) = (-1, -7)

  private def x(epsilon: Double): Double =
    left + (greatest - math.log10(epsilon)) / (greatest - least) * (width - left - right)
  private def y(bits: Double): Double =
    height - bottom - (math.log10(bits) - fewest) / (most - fewest) * (height - bottom - top)

  def svg(lines: Seq[Bits.Line]): String = {
    val grid = (fewest to most).map { power =>
      val at = y(math.pow(10, power.toDouble))
      line(left, at, width - right, at, "#dddddd") + text(left - 8, at + 4, power10(power), "end", "#333333")
    } ++ (least to greatest).map { power =>
      val at = x(math.pow(10, power.toDouble))
      line(at, top, at, height - bottom, "#dddddd") +
        text(at, height - bottom + 20, power10(power), "middle", "#333333")
    }
    val drawn = lines.zip(colours).map { case (Bits.Line(name, bits), colour) =>
      val points = bits.map { case (epsilon, b) => f"${x(epsilon)}%.1f,${y(b.toDouble)}%.1f" }.mkString(" ")
      val (epsilon, last) = bits.last
      s"""<polyline points="$points" fill="none" stroke="$colour" stroke-width="2"/>\n""" +
        text(
          x(epsilon) + 8,
          y(last.toDouble) + below(name),
          name,
          "start",
          colour
        )
    }
    val axes =
      text(
        (left + width - right) / 2.0,
        height - 15,
        "ε, for a window of 2^20 elements",
        "middle",
        "#333333"
      ) +
        text(left - 8, top - 6.0, "bits", "end", "#333333")
    s"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" font-family="sans-serif" font-size="12">
       |<rect width="$width" height="$height" fill="white"/>
       |${(grid ++ drawn).mkString}$axes</svg>
       |""".stripMargin
  }

  /** Where a line's name stands, so that no two that end at one point meet. */
  private def below(name: String): Double =
    if (name == "exact") -2
    else if (name.startsWith("Algorithm 1")) 12
    else if (name.startsWith("lower")) 26
    else 4

  private def power10(power: Int): String = s"""10<tspan dy="-5" font-size="9">$power</tspan>"""

  private def line(x1: Double, y1: Double, x2: Double, y2: Double, colour: String): String =
    f"""<line x1="$x1%.1f" y1="$y1%.1f" x2="$x2%.1f" y2="$y2%.1f" stroke="$colour"/>""" + "\n"

  private def text(x: Double, y: Double, text: String, anchor: String, colour: String): String =
    f"""<text x="$x%.1f" y="$y%.1f" text-anchor="$anchor" fill="$colour">$text</text>""" + "\n"
}
