package org.slidewise.spark

import org.apache.spark.sql.{DataFrame, Row}

/** Compares answers whose rows come in any order, with values of any type. */
trait SortedAnswers {

  /** The rows of a query as text, sorted. */
  protected def answer(query: DataFrame): Seq[String] = query.collect().toSeq.map(text).sorted

  private def text(value: Any): String = value match {
    case row: Row        => row.toSeq.map(text).mkString("[", ",", "]")
    case bytes: Array[_] => bytes.mkString("(", ",", ")")
    case values: Seq[_]  => values.map(text).mkString("<", ",", ">")
    case other           => String.valueOf(other)
  }
}
