package org.slidewise.spark.plan

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateMode}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.execution.aggregate.ScalaAggregator
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Writes resolved expressions as text that is the same in each run of a query, and different for expressions whose results may
 * differ. The text contains all literals, types, options and time zones, but no identifiers, column names and nullability.
 *
 * The text of a user's function contains its name and class. The text contains neither the seeds of random expressions nor the
 * current time. It omits options with their defaults, such as `false` or none, so that later versions of Spark can add options.
 *
 * Cost: linear in the expressions.
 *
 * @param columns
 *   the text of a column; none for a column that is not known
 */
final private[spark] class CanonicalForm(columns: ExprId => Option[Identity]) {
  import CanonicalForm._

  def apply(expression: Expression): String = of(expression, Nil)

  /**
   * @param bound
   *   the variables of lambda functions and the common expressions around `expression`, innermost first
   */
  private def of(expression: Expression, bound: List[AnyRef]): String = expression match {
    case column: Attribute =>
      columns(column.exprId).fold(s"?${quoted(column.name)}:${typeOf(column.dataType)}")(_.canonical)
    case alias: Alias                      => of(alias.child, bound)
    case Literal(value, dataType)          => s"${valueOf(value, dataType, bound)}:${typeOf(dataType)}"
    case random: ExpressionWithRandomSeed  => node(random.withNewSeed(0L), bound)
    case replaced: InheritAnalysisRules    => of(replaced.child, bound)
    case cast: Cast if !cast.needsTimeZone => node(cast.copy(timeZoneId = None), bound)
    case variable: NamedLambdaVariable     =>
      s"variable(${bound.indexOf(variable.exprId)}:${typeOf(variable.dataType)})"
    case LambdaFunction(body, arguments, _) =>
      s"lambda(${arguments.size},${of(body, arguments.map(_.exprId).reverse.toList ++ bound)})"
    case With(child, common) =>
      s"with(${listOf(common.map(_.child), bound)},${of(child, common.map(_.id).reverse.toList ++ bound)})"
    case common: CommonExpressionRef => s"common(${bound.indexOf(common.id)})"
    case field: GetStructField       =>
      s"field(${of(field.child, bound)},${field.ordinal},${quoted(field.childSchema(field.ordinal).name)})"
    case udf: ScalaUDF               => user("udf", udf.udfName, udf.function, udf, bound)
    case f: ScalaAggregator[_, _, _] => user("aggregator", f.aggregatorName, f.agg, f, bound)
    case udf: PythonFuncExpression   =>
      s"python(${quoted(udf.name)},${udf.evalType}:${typeOf(udf.dataType)})${listOf(udf.children, bound)}"
    case AggregateExpression(function, _, isDistinct, filter, _) =>
      of(function, bound) + (if (isDistinct) " distinct" else "") +
        filter.fold("")(f => s" filter(${of(f, bound)})")
    case subquery: SubqueryExpression => node(subquery, bound)
    case other                        => node(other, bound)
  }

  private def user(kind: String, name: Option[String], code: AnyRef, e: Expression, bound: List[AnyRef]) =
    s"$kind(${name.fold("")(quoted)},${codeOf(code, bound)}:${typeOf(e.dataType)})${listOf(e.children, bound)}"

  private def codeOf(code: AnyRef, bound: List[AnyRef]) = code match {
    case product: Product => argument(product, bound)
    case other            => classOf(other)
  }

  private def node(e: Product, bound: List[AnyRef]): String =
    s"${classOf(e)}(${optionsOf(e, bound).mkString(",")})"

  private def optionsOf(e: Product, bound: List[AnyRef]): Iterator[String] =
    e.productElementNames.zip(e.productIterator).flatMap {
      case (_, child: Expression)                  => Iterator(of(child, bound))
      case (name, value) if isDefault(name, value) => Iterator.empty
      case ("evalContext", options: Product)       => optionsOf(options, bound)
      case (name, value)                           =>
        Some(argument(value, bound)).filter(_.nonEmpty).map(text => s"$name=$text").iterator
    }

  /** The text of an argument; empty for a default. */
  private def argument(value: Any, bound: List[AnyRef]): String = value match {
    case null | None                                => ""
    case _: ExprId | _: AggregateMode | _: Metadata => ""
    case _: ExpressionEncoder[_]                    => ""
    case e: Expression                              => of(e, bound)
    case p: LogicalPlan                             => CanonicalForm.ofSubquery(p, columns)
    case t: DataType                                => typeOf(t)
    case f: StructField                             => s"${quoted(f.name)}:${typeOf(f.dataType)}"
    case s: String                                  => quoted(s)
    case s: UTF8String                              => quoted(s.toString)
    case b: Array[Byte]                             => hex(b)
    case Some(inner)                                => argument(inner, bound)
    case m: scala.collection.Map[_, _]              =>
      if (m.isEmpty) ""
      else
        m.toSeq
          .map { case (k, v) => s"${argument(k, bound)}=${argument(v, bound)}" }
          .sorted
          .mkString("{", ",", "}")
    case s: Iterable[_] => if (s.isEmpty) "" else listOf(s, bound)
    case a: Array[_]    => if (a.isEmpty) "" else listOf(a.toSeq, bound)
    case c: Class[_]    => nameOf(c)
    case plain @ (_: Number | _: Boolean | _: Character | _: Enum[_] | _: Enumeration#Value) => plain.toString
    case plain @ (_: java.time.ZoneId | _: java.util.Locale | _: java.nio.charset.Charset |
        _: java.util.regex.Pattern) =>
      quoted(plain.toString)
    case p: Product => node(p, bound)
    case other      => classOf(other)
  }

  private def listOf(values: Iterable[Any], bound: List[AnyRef]) =
    values.map(argument(_, bound)).mkString("[", ",", "]")

  private def valueOf(value: Any, dataType: DataType, bound: List[AnyRef]): String = (value, dataType) match {
    case (null, _)                             => "null"
    case (s: UTF8String, _)                    => quoted(s.toString)
    case (b: Array[Byte], _)                   => hex(b)
    case (v: VariantVal, _)                    => hex(v.getValue) + hex(v.getMetadata)
    case (a: ArrayData, ArrayType(element, _)) =>
      a.toSeq[Any](element).map(valueOf(_, element, bound)).mkString("[", ",", "]")
    case (m: MapData, MapType(key, element, _)) =>
      valueOf(m.keyArray(), ArrayType(key), bound) + valueOf(m.valueArray(), ArrayType(element), bound)
    case (row: InternalRow, StructType(fields)) =>
      fields.indices
        .map(i => valueOf(row.get(i, fields(i).dataType), fields(i).dataType, bound))
        .mkString("(", ",", ")")
    case (plain, _: ObjectType)            => argument(plain, bound)
    case (plain, user: UserDefinedType[_]) => valueOf(plain, user.sqlType, bound)
    case (plain, _)                        => plain.toString
  }
}

private[spark] object CanonicalForm {

  /** Names of arguments that do not affect results: buffer offsets, nullability and the display of seeds. */
  private val Ignored = Set(
    "containsNull",
    "valueContainsNull",
    "nullable",
    "mutableAggBufferOffset",
    "inputAggBufferOffset",
    "hideSeed"
  )

  private def isDefault(name: String, value: Any) =
    value == false || Ignored.contains(name) || name == "allowDecimalPrecisionLoss" && value == true

  private val OfSpark = "org.apache.spark.sql.catalyst."

  /** The maximum length of a text. A hash replaces longer texts, so that the texts of nested columns stay short. */
  private val MostText = 300

  def shortened(text: String): String =
    if (text.length <= MostText) text
    else "#" + hex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8))).take(40)

  private def hex(bytes: Array[Byte]): String = "x" + bytes.map(b => f"$b%02x").mkString

  def quoted(text: String): String =
    "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"

  private def classOf(value: Any): String = nameOf(value.getClass)

  /** The name of a class, without the counters that the JVM or a shell adds. */
  private def nameOf(c: Class[_]): String = {
    val name = c.getName
    val lambda = name.indexOf("$$Lambda")
    val declared = if (lambda >= 0) name.take(lambda) + "$$Lambda" else name
    if (declared.startsWith("$line")) "shell" else declared.stripPrefix(OfSpark).stripPrefix("expressions.")
  }

  /** A type with its collations, precisions and fields; see [[storedType]] for nullability. */
  def typeOf(dataType: DataType): String = ofType(dataType, withNulls = false)

  /** The text of [[typeOf]], with the nullability of elements and fields. */
  def storedType(dataType: DataType): String = ofType(dataType, withNulls = true)

  private def ofType(dataType: DataType, withNulls: Boolean): String = {
    def inner(t: DataType, nullable: Boolean) =
      ofType(t, withNulls) + (if (withNulls && !nullable) "!" else "")
    dataType match {
      case StructType(fields) =>
        fields.map(f => s"${quoted(f.name)}:${inner(f.dataType, f.nullable)}").mkString("struct<", ",", ">")
      case ArrayType(element, containsNull)  => s"array<${inner(element, containsNull)}>"
      case MapType(key, value, containsNull) =>
        s"map<${inner(key, nullable = false)},${inner(value, containsNull)}>"
      case user: UserDefinedType[_] => s"${nameOf(user.getClass)}<${inner(user.sqlType, nullable = true)}>"
      case ObjectType(c)            => s"object<${nameOf(c)}>"
      case plain                    => plain.catalogString
    }
  }

  /** The text of a subquery: the operators of its plan with their arguments, and the columns of its sources. */
  private def ofSubquery(plan: LogicalPlan, outer: ExprId => Option[Identity]): String = {
    val own = new CanonicalColumns(plan).all
    val form = new CanonicalForm(id => own.get(id).orElse(outer(id)))
    def ofPlan(plan: LogicalPlan): String = plan match {
      case leaf: LeafNode =>
        s"${leaf.nodeName}${leaf.output.map(a => s"${quoted(a.name)}:${typeOf(a.dataType)}").mkString("(", ",", ")")}"
      case node =>
        val children = node.children.toSet[LogicalPlan]
        val arguments = node.productIterator.map {
          case child: LogicalPlan if children.contains(child) => ofPlan(child)
          case other                                          => form.argument(other, Nil)
        }
        s"${node.nodeName}${arguments.mkString("(", ",", ")")}"
    }
    shortened(ofPlan(plan))
  }
}
