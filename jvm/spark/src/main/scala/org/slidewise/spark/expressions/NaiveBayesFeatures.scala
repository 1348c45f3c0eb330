package org.slidewise.spark.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.SparkCollations

/** Checks and casts structs of features: numbers are Gaussian features, other fields are categories. */
private[expressions] object NaiveBayesFeatures {

  def check(features: Expression, index: Int): TypeCheckResult = features.dataType match {
    case struct: StructType if struct.nonEmpty && struct.forall(f => isFeature(f.dataType)) =>
      TypeCheckSuccess
    case StructType(fields) if fields.exists(f => isCollated(f.dataType)) =>
      NumericArgument.mismatch(
        features,
        index,
        s"$Required (for strings with a collation, use x COLLATE UTF8_BINARY or lower(x) COLLATE UTF8_BINARY)"
      )
    case _ => NumericArgument.mismatch(features, index, Required)
  }

  private val Required = "STRUCT of numbers, strings and other simple values"

  /** A model stores categories as plain strings, which lose the collation. */
  private def isCollated(dataType: DataType) = dataType match {
    case text: StringType => !SparkCollations.isBinaryStable(text)
    case _                => false
  }

  private def isFeature(dataType: DataType) = dataType match {
    case _: ArrayType | _: MapType | _: StructType | BinaryType => false
    case other if other.typeName == "variant"                   => false // a class since Spark 4.0
    case other                                                  => !isCollated(other)
  }

  def isGaussian(dataType: DataType): Boolean = dataType.isInstanceOf[NumericType]

  /** Casts numbers to double and other fields to string, and refuses duplicate names. Leaves other types to [[check]]. */
  def normalized(function: String, features: Expression): Expression = features.dataType match {
    case struct: StructType if struct.forall(f => isFeature(f.dataType)) =>
      refuseDuplicates(function, features, struct.fieldNames.toSeq)
      val fields = struct.map { f =>
        f.copy(dataType = if (isGaussian(f.dataType)) DoubleType else StringType, nullable = true)
      }
      Sums.cast(features, StructType(fields))
    case _ => features
  }

  private def refuseDuplicates(function: String, features: Expression, names: Seq[String]): Unit =
    names.indices.find(i => names.take(i).exists(SQLConf.get.resolver(_, names(i)))).foreach { i =>
      val required = s"STRUCT with distinct field names (${toSQLId(names(i))} occurs twice)"
      val mismatch = NumericArgument.mismatch(features, 1, required)
      throw new AnalysisException(
        s"DATATYPE_MISMATCH.${mismatch.errorSubClass}",
        mismatch.messageParameters + ("sqlExpr" -> toSQLId(function))
      )
    }
}
