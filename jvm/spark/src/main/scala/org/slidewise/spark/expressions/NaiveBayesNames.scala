package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.errors.InvalidArgument

/** A feature that is not null, by the name that the model has for it. */
sealed private[expressions] trait GivenFeature
final private[expressions] case class GivenNumber(feature: String, x: Double) extends GivenFeature
final private[expressions] case class GivenCategory(feature: String, value: UTF8String) extends GivenFeature

/**
 * Finds features in a model by their names.
 *
 * @param fields
 *   the features that are asked about: doubles and strings
 */
final private[expressions] class NaiveBayesNames(
    function: String,
    counts: NaiveBayesCounts,
    fields: Array[StructField],
    resolver: Resolver
) {
  private val numbers = counts.classes.flatMap(_.gaussian.keys).toSet
  private val categories = counts.classes.flatMap(_.categorical.keys).toSet

  /** What is not null, NaN or infinite, and known to the model. */
  def known(features: InternalRow): Seq[GivenFeature] =
    fields.toSeq.zipWithIndex.filterNot(f => features.isNullAt(f._2)).flatMap { case (field, i) =>
      field.dataType match {
        case DoubleType if !java.lang.Double.isFinite(features.getDouble(i)) => None
        case DoubleType                                                      =>
          val x = features.getDouble(i)
          found(field.name, numbers)
            .orElse(refuse(categories, field.name, s"the number $x", "a category"))
            .map(GivenNumber(_, x))
        case _ =>
          val value = features.getUTF8String(i)
          found(field.name, categories)
            .orElse(refuse(numbers, field.name, s"the category '$value'", "a number"))
            .map(GivenCategory(_, value))
      }
    }

  private def found(name: String, among: Set[String]): Option[String] =
    among.filter(resolver(_, name)).toSeq match {
      case several if several.size > 1 =>
        val names = several.sorted.mkString("`", "`, `", "`")
        throw new InvalidArgument(function, s"features.$name", s"any of $names", "one feature of the model")
      case one => one.headOption
    }

  private def refuse(others: Set[String], name: String, value: String, allowed: String): Option[Nothing] =
    if (found(name, others).isEmpty) None
    else throw new InvalidArgument(function, s"features.$name", value, s"$allowed, as in the model")
}
