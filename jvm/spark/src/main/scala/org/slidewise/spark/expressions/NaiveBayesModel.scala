package org.slidewise.spark.expressions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.shims.SparkCollations

/** The count, the mean and the sum of squared deviations of a Gaussian feature in a class. */
final class Moments(var count: Long, var mean: Double, var squares: Double) {

  def add(x: Double): Unit = addAll(1, x, 0)

  def addAll(newer: Moments): Unit = addAll(newer.count, newer.mean, newer.squares)

  private def addAll(n: Long, itsMean: Double, itsSquares: Double): Unit = {
    val all = count + n
    if (count == 0) {
      count = n
      mean = itsMean
      squares = itsSquares
    } else if (n > 0) {
      val delta = itsMean - mean
      squares += itsSquares + delta * delta * (count.toDouble * n / all)
      mean += delta * (n.toDouble / all)
      count = all
    }
  }

  def variance: Double = if (count == 0) 0 else squares / count
}

/**
 * The counts of one class, by feature name.
 *
 * @param label
 *   the least, in byte order, of labels that are equal by their collation
 */
final class ClassCounts(var label: Any) {
  var count = 0L
  val categorical = mutable.LinkedHashMap.empty[String, mutable.LinkedHashMap[UTF8String, Long]]
  val gaussian = mutable.LinkedHashMap.empty[String, Moments]

  def addCategory(feature: String, value: UTF8String, times: Long): Unit = {
    val values = categorical.getOrElseUpdate(feature, mutable.LinkedHashMap.empty)
    values.update(value, values.getOrElse(value, 0L) + times)
  }

  def moments(feature: String): Moments = gaussian.getOrElseUpdate(feature, new Moments(0, 0, 0))

  def addAll(newer: ClassCounts): Unit = {
    count += newer.count
    for ((feature, values) <- newer.categorical; (value, n) <- values) addCategory(feature, value, n)
    for ((feature, others) <- newer.gaussian) moments(feature).addAll(others)
  }
}

/** The counts of all classes, by label. */
final class NaiveBayesCounts(labelType: DataType) {
  private val byKey = mutable.LinkedHashMap.empty[Any, ClassCounts]

  private val collation = labelType match {
    case text: StringType => SparkCollations.keyOf(text)
    case _                => None
  }

  def classes: Iterable[ClassCounts] = byKey.values

  def of(label: Any): ClassCounts = collation.fold(byKey.getOrElseUpdate(label, new ClassCounts(label))) {
    keyOf =>
      val text = label.asInstanceOf[UTF8String]
      val c = byKey.getOrElseUpdate(keyOf(text), new ClassCounts(label))
      if (SparkCollations.compareBytes(text, c.label.asInstanceOf[UTF8String]) < 0) c.label = label
      c
  }

  def addAll(newer: NaiveBayesCounts): Unit = newer.classes.foreach(c => of(c.label).addAll(c))
}

/** Converts counts to a SQL struct, the model, and back. */
private[expressions] object NaiveBayesModel {
  private val Gaussian =
    new StructType()
      .add("count", LongType, false)
      .add("mean", DoubleType, false)
      .add("variance", DoubleType, false)

  def dataType(label: DataType): StructType = {
    val perClass = new StructType()
      .add("label", label, nullable = false)
      .add("count", LongType, nullable = false)
      .add("categorical", MapType(StringType, MapType(StringType, LongType, false), false), nullable = false)
      .add("gaussian", MapType(StringType, Gaussian, false), nullable = false)
    new StructType()
      .add("smoothing", DoubleType, nullable = false)
      .add("classes", ArrayType(perClass, containsNull = false), nullable = false)
  }

  /** The type of the labels, if `model` is the type of a model. */
  def labelType(model: DataType): Option[DataType] = model match {
    case StructType(Array(_, StructField("classes", ArrayType(StructType(fields), _), _, _))) =>
      fields.headOption
        .map(_.dataType)
        .filter(label => anyNullability(dataType(label)) == anyNullability(model))
    case _ => None
  }

  private def anyNullability(of: DataType): DataType = of match {
    case StructType(fields)    => StructType(fields.map(f => StructField(f.name, anyNullability(f.dataType))))
    case ArrayType(element, _) => ArrayType(anyNullability(element))
    case MapType(key, value, _) => MapType(key, anyNullability(value))
    case other                  => other
  }

  def toRow(counts: NaiveBayesCounts, smoothing: Double, labels: Ordering[Any]): InternalRow = {
    def map[V](of: mutable.LinkedHashMap[String, V])(show: V => Any): MapData = {
      val sorted = of.toSeq.sortBy(_._1)
      mapOf(sorted.map(e => UTF8String.fromString(e._1)), sorted.map(e => show(e._2)))
    }
    val classes = counts.classes.toSeq.sortBy(_.label)(labels).map { c =>
      InternalRow(
        c.label,
        c.count,
        map(c.categorical) { values =>
          val sorted = values.toSeq.sortBy(_._1)
          mapOf(sorted.map(_._1), sorted.map(_._2))
        },
        map(c.gaussian)(m => InternalRow(m.count, m.mean, m.variance))
      )
    }
    InternalRow(smoothing, new GenericArrayData(classes.toArray[Any]))
  }

  private def mapOf(keys: Seq[UTF8String], values: Seq[Any]): MapData =
    new ArrayBasedMapData(new GenericArrayData(keys.toArray[Any]), new GenericArrayData(values.toArray[Any]))

  /**
   * The smoothing and the counts of a model. Copies all values, since Spark may reuse the row's memory. Throws an
   * IllegalArgumentException if a part of the model is null.
   */
  def fromRow(model: InternalRow, label: DataType): (Double, NaiveBayesCounts) = {
    val counts = new NaiveBayesCounts(label)
    rows(present(model.getArray(1), "classes"), 4).foreach { perClass =>
      val c = counts.of(InternalRow.copyValue(present(perClass.get(0, label), "label")))
      c.count += perClass.getLong(1)
      present(perClass.getMap(2), "categorical").foreach(
        StringType,
        MapType(StringType, LongType),
        (feature, values) =>
          present(values.asInstanceOf[MapData], "categorical")
            .foreach(
              StringType,
              LongType,
              (value, n) =>
                c.addCategory(
                  feature.toString,
                  value.asInstanceOf[UTF8String].copy(),
                  present(n, "categorical").asInstanceOf[Long]
                )
            )
      )
      present(perClass.getMap(3), "gaussian")
        .foreach(
          StringType,
          Gaussian,
          { (feature, value) =>
            val row = present(value.asInstanceOf[InternalRow], "gaussian")
            val n = row.getLong(0)
            c.moments(feature.toString).addAll(new Moments(n, row.getDouble(1), row.getDouble(2) * n))
          }
        )
    }
    (model.getDouble(0), counts)
  }

  private def rows(array: ArrayData, fields: Int): Seq[InternalRow] =
    Vector.tabulate(array.numElements())(i => present(array.getStruct(i, fields), "classes"))

  private def present[T](part: T, name: String): T =
    if (part == null) throw new IllegalArgumentException(s"a Naive Bayes model has null in $name") else part
}
