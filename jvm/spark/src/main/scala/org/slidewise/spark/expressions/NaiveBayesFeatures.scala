package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** The features of an example: a struct whose numbers are Gaussian features, and whose other fields are categories. */
private[expressions] object NaiveBayesFeatures {

  def check(features: Expression, index: Int): TypeCheckResult = features.dataType match {
    case struct: StructType if struct.nonEmpty && struct.forall(f => isFeature(f.dataType)) =>
      TypeCheckSuccess
    case _ => NumericArgument.mismatch(features, index, "STRUCT of numbers, strings and other simple values")
  }

  private def isFeature(dataType: DataType) = dataType match {
    case _: ArrayType | _: MapType | _: StructType | BinaryType | VariantType => false
    case _                                                                    => true
  }

  def isGaussian(dataType: DataType): Boolean = dataType.isInstanceOf[NumericType]

  /** Numbers as doubles, all else as strings. Others than structs are left for the check to find. */
  def normalized(features: Expression): Expression = features.dataType match {
    case struct: StructType if struct.forall(f => isFeature(f.dataType)) =>
      val fields = struct.map { f =>
        f.copy(dataType = if (isGaussian(f.dataType)) DoubleType else StringType, nullable = true)
      }
      Sums.cast(features, StructType(fields))
    case _ => features
  }
}
