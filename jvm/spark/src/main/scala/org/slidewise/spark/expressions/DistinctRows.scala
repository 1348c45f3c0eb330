package org.slidewise.spark.expressions

import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.{MapsInGroups, SparkCollations}

/**
 * A set of rows, in the order in which they were added first. Rows are equal if their keys, as `keyOf` makes them, have equal
 * bytes. Constant time to add a row; memory for a copy of each row, and of its key if that is another row.
 */
final class DistinctRows private (keyOf: Option[UnsafeProjection]) extends Iterable[UnsafeRow] {
  private[this] val rows = new JLinkedHashMap[UnsafeRow, UnsafeRow]

  /** Adds a copy of `row` unless the set has an equal one. */
  def add(row: UnsafeRow): Unit = keyOf match {
    case None       => if (!rows.containsKey(row)) { val kept = row.copy(); rows.put(kept, kept) }
    case Some(keys) =>
      val key = keys(row)
      if (!rows.containsKey(key)) rows.put(key.copy(), row.copy())
  }

  override def size: Int = rows.size

  override def iterator: Iterator[UnsafeRow] = {
    val all = rows.values.iterator
    new AbstractIterator[UnsafeRow] {
      override def hasNext: Boolean = all.hasNext
      override def next(): UnsafeRow = all.next()
    }
  }
}

object DistinctRows {

  /**
   * Creates empty sets of rows of these attributes, whose rows are equal where `GROUP BY` puts them into one group. Floating-point
   * numbers must have been normalized by [[GroupingKeys]]. Not thread-safe.
   */
  final class Factory private[DistinctRows] (attributes: Seq[Attribute]) {
    private[this] val keys = attributes.map(keyOf)
    private[this] val projection =
      if (keys == attributes) None else Some(UnsafeProjection.create(keys, attributes))

    def empty: DistinctRows = new DistinctRows(projection)
  }

  def of(attributes: Seq[Attribute]): Factory = new Factory(attributes)

  /** Whether `GROUP BY` compares values of the type by value: Spark compares no others, such as VARIANT, or by chance only. */
  def canGroup(dataType: DataType): Boolean = dataType match {
    case MapType(key, value, _)  => MapsInGroups.allowed && canGroup(key) && canGroup(value)
    case ArrayType(element, _)   => canGroup(element)
    case StructType(fields)      => fields.forall(field => canGroup(field.dataType))
    case udt: UserDefinedType[_] => canGroup(udt.sqlType)
    case _: CalendarIntervalType => true
    case other                   => RowOrdering.isOrderable(other)
  }

  /**
   * An expression that has equal bytes where the values of `value` are equal; `value` itself if its own bytes have this property.
   */
  private[spark] def keyOf(value: Expression): Expression = value.dataType match {
    case dataType if hasEqualBytes(dataType) => value
    case _: StringType                       => SparkCollations.binary(value)
    case StructType(fields)                  =>
      structOf(value, fields.indices.map(GetStructField(value, _)))
    case ArrayType(element, containsNull) =>
      val variable = NamedLambdaVariable("element", element, containsNull)
      ArrayTransform(value, LambdaFunction(keyOf(variable), Seq(variable)))
    case MapType(keyType, valueType, containsNull) =>
      val key = NamedLambdaVariable("key", keyType, nullable = false)
      val mapped = NamedLambdaVariable("value", valueType, containsNull)
      // Spark's code for sorting maps takes a null value for a zero, and a struct is not null.
      val notNull = CreateNamedStruct(Seq(Literal("value"), keyOf(mapped)))
      val sorted = MapsInGroups.sorted(TransformValues(value, LambdaFunction(notNull, List(key, mapped))))
      structOf(value, Seq(MapKeys(sorted), MapValues(sorted)))
    case _ => value
  }

  /** The keys of the parts of `value`; null if it is null. */
  private def structOf(value: Expression, parts: Seq[Expression]): Expression = {
    val struct = CreateNamedStruct(parts.zipWithIndex.flatMap { case (part, i) =>
      Seq(Literal(s"key$i"), keyOf(part))
    })
    If(IsNull(value), Literal.create(null, struct.dataType), struct)
  }

  /** Whether values of the type that `GROUP BY` takes for equal have equal bytes, once numbers are normalized. */
  private[spark] def hasEqualBytes(dataType: DataType): Boolean =
    SparkCollations.isBinaryStable(dataType) && !hasMap(dataType)

  private def hasMap(dataType: DataType): Boolean = dataType match {
    case _: MapType            => true
    case ArrayType(element, _) => hasMap(element)
    case StructType(fields)    => fields.exists(field => hasMap(field.dataType))
    case _                     => false
  }
}
