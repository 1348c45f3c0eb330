package org.slidewise.spark.execution.streams.checkpoints

import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}
import org.apache.spark.sql.types._

import org.slidewise.spark.errors.CorruptState

/** Reads the types in the description of a state, as `CanonicalForm.storedType` writes them. */
private[checkpoints] object StoredTypes {

  /** The type; for a user-defined type, its SQL type. Throws [[CorruptState]] if the text is no type. */
  def of(text: String): DataType = {
    val reader = new Reader(text)
    val found = reader.read()
    if (!reader.atEnd) reader.fail()
    found
  }

  final private class Reader(text: String) {
    private[this] var at = 0

    def atEnd: Boolean = at == text.length

    def fail(): Nothing = throw new CorruptState(s"$text is no type that this version of Spark has")

    private def take(expected: Char): Unit = if (!takes(expected)) fail()

    private def takes(wanted: Char): Boolean = {
      val found = at < text.length && text.charAt(at) == wanted
      if (found) at += 1
      found
    }

    /** A type and whether it is nullable. A mark after a type means that it is not nullable. */
    private def element(): (DataType, Boolean) = {
      val found = read()
      (found, !takes('!'))
    }

    def read(): DataType = {
      val name = word()
      if (!takes('<')) plain(name)
      else {
        val found = name match {
          case "struct" => struct()
          case "array"  =>
            val (of, hasNulls) = element()
            ArrayType(of, hasNulls)
          case "map" =>
            val (key, _) = element()
            take(',')
            val (value, hasNulls) = element()
            MapType(key, value, hasNulls)
          case _ => element()._1
        }
        take('>')
        found
      }
    }

    private def struct(): DataType = {
      var fields = Seq.empty[StructField]
      if (at < text.length && text.charAt(at) != '>') {
        do {
          val name = quoted()
          take(':')
          val (dataType, hasNulls) = element()
          fields :+= StructField(name, dataType, hasNulls)
        } while (takes(','))
      }
      StructType(fields)
    }

    private def quoted(): String = {
      take('\'')
      val from = at
      while (at < text.length && text.charAt(at) != '\'') at += (if (text.charAt(at) == '\\') 2 else 1)
      if (at >= text.length) fail()
      val name = text.substring(from, at)
      at += 1
      name
    }

    /** The text up to the next delimiter, including arguments in parentheses. */
    private def word(): String = {
      val from = at
      var depth = 0
      while (at < text.length && (depth > 0 || !"<>,!".contains(text.charAt(at)))) {
        text.charAt(at) match {
          case '(' => depth += 1
          case ')' => depth -= 1
          case _   => ()
        }
        at += 1
      }
      text.substring(from, at)
    }

    private def plain(name: String): DataType =
      try CatalystSqlParser.parseDataType(name)
      catch { case _: ParseException => fail() }
  }
}
