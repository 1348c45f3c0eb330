package org.slidewise.build

import java.util.Locale

import scala.collection.mutable
import scala.util.matching.Regex
import scala.util.matching.Regex.quoteReplacement

/**
 * Renames whole identifiers of a source file by a table, and refuses a source that the table does not fully cover.
 *
 * A word of an old name that its new name lacks is guarded: `DoubleMaxOp -> DoubleMinOp` guards "max". Every identifier that
 * contains a guarded word must be in `renames` or in `unchanged`. A new `Int.MaxValue` or `maxOf` in the source therefore
 * fails the build until somebody decides what happens to it. Comments are renamed by the same table but not checked.
 *
 * @param renames
 *   old to new identifiers; each old one must occur in the source
 * @param unchanged
 *   identifiers with a guarded word that keep their name: alone (`max`) or with their qualifier (`math.max`). A qualified
 *   entry takes precedence over `renames`
 */
final case class IdentifierRenaming(renames: Map[String, String], unchanged: Set[String] = Set.empty) {
  import IdentifierRenaming._

  private val guarded: Set[String] =
    renames.toSeq.flatMap { case (from, to) => wordsOf(from).filterNot(wordsOf(to).toSet) }.toSet

  /** The renamed source, or what the source and the table disagree about. */
  def apply(source: String): Either[String, String] = {
    val missing = mutable.Set.empty[String] ++ renames.keys
    val unlisted = mutable.Set.empty[String]

    def renamed(text: String, checked: Boolean): String = Path.replaceAllIn(
      text,
      path => {
        val names = path.matched.split('.')
        val qualified = names.head +: names.zip(names.drop(1)).map { case (q, name) => s"$q.$name" }
        val results = names.zip(qualified).map { case (name, whole) =>
          if (unchanged(whole)) name
          else {
            missing -= name
            if (checked && !renames.contains(name) && !unchanged(name) && isGuarded(name)) unlisted += whole
            renames.getOrElse(name, name)
          }
        }
        quoteReplacement(results.mkString("."))
      }
    )

    val result = Part.replaceAllIn(
      source,
      part => quoteReplacement(renamed(part.matched, checked = !isComment(part.matched)))
    )
    problem(missing.toSet, unlisted.toSet).toLeft(result)
  }

  private def isGuarded(name: String): Boolean = {
    val lower = name.toLowerCase(Locale.ROOT)
    guarded.exists(word => lower.contains(word))
  }

  private def problem(missing: Set[String], unlisted: Set[String]): Option[String] =
    if (missing.nonEmpty) Some(s"contains no identifier ${listed(missing)} to rename")
    else if (unlisted.nonEmpty)
      Some(
        s"contains ${listed(unlisted)}, with one of the words that are renamed (${listed(guarded)}): " +
          "list it as renamed or as unchanged"
      )
    else None
}

object IdentifierRenaming {

  /** A comment, a string literal, or code up to the next of these. */
  private val Part: Regex =
    "(?s)/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'\"'|[^\"/']+|.".r

  /** An identifier, with the identifiers around it that are joined to it by dots. */
  private val Path: Regex = "(?<!\\w)[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*".r

  private val Word: Regex = "[A-Z]?[a-z]+|[A-Z]+|[0-9]+".r

  private def isComment(part: String): Boolean = part.startsWith("/*") || part.startsWith("//")

  private def wordsOf(name: String): Seq[String] =
    Word.findAllIn(name).map(_.toLowerCase(Locale.ROOT)).toList

  private def listed(names: Set[String]): String = names.toSeq.sorted.mkString(", ")
}
