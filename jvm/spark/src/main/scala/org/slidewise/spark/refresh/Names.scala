package org.slidewise.spark.refresh

import java.util.Locale

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.internal.SQLConf

/** Names of tables and columns as Spark compares them. */
private[refresh] object Names {
  def folded(name: String): String =
    if (SQLConf.get.caseSensitiveAnalysis) name else name.toLowerCase(Locale.ROOT)

  /** The parts of a name with dots. */
  def parts(name: String): Seq[String] = CatalystSqlParser.parseMultipartIdentifier(name)
}
