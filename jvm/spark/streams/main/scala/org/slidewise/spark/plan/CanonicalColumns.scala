package org.slidewise.spark.plan

import java.util.IdentityHashMap

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.plan.CanonicalForm.{quoted, shortened, typeOf}

/**
 * The columns of an analyzed plan in terms of the columns of its sources. The text of a source column contains its name, its type
 * and the place of its source among the sources of the plan. It does not depend on the rows and the location of a source, nor on
 * filters.
 *
 * Cost: linear in the plan.
 *
 * @param root
 *   the plan
 * @param common
 *   the common table expressions to which the plan may refer
 */
final private[spark] class CanonicalColumns(root: LogicalPlan, common: Map[Long, CTERelationDef]) {

  def this(root: LogicalPlan) = this(root, CanonicalColumns.commonIn(root))

  private[this] var known = Map.empty[ExprId, Identity]
  private[this] val snapshots = new IdentityHashMap[LogicalPlan, Map[ExprId, Identity]]
  private[this] val references = mutable.HashMap.empty[Long, Seq[Attribute]]
  private[this] var sources = 0

  visit(root)

  /** All columns in the plan. */
  def all: Map[ExprId, Identity] = known

  /**
   * The columns below `node`, with the same texts as if `node` were the whole plan. None if the first source below `node` is not the
   * first source of the plan.
   */
  def below(node: LogicalPlan): Option[Map[ExprId, Identity]] = Option(snapshots.get(node))

  private def form = new CanonicalForm(known.get)

  private def visit(plan: LogicalPlan): Unit = {
    val isFirst = sources == 0
    plan match {
      case WithCTE(main, _) => visit(main)
      case _                => plan.children.foreach(visit)
    }
    if (isFirst) snapshots.put(plan, known)
    define(plan)
  }

  private def define(plan: LogicalPlan): Unit = plan match {
    case Project(columns, _)  => columns.foreach(define(_)(form(_)))
    case window: Window       => window.windowExpressions.foreach(define(_)(form(_)))
    case aggregate: Aggregate =>
      lazy val keys = aggregate.groupingExpressions.map(form(_)).mkString("[", ",", "]")
      aggregate.aggregateExpressions.foreach(define(_)(e => s"${form(e)} by $keys"))
    case expand: Expand =>
      set(expand.output, expand.projections.transpose.map(copies => joined("expand", copies.map(form(_)))))
    case union: Union =>
      val same = union.children.map(_.output).transpose
      set(union.output, same.map(columns => joined("union", columns.map(form(_)))))
    case generate: Generate =>
      val text = (if (generate.outer) "outer " else "") + form(generate.generator)
      set(generate.generatorOutput, generate.generatorOutput.indices.map(i => s"generate($text,$i)"))
    case reference: CTERelationRef if common.contains(reference.cteId) =>
      val definition = common(reference.cteId)
      if (!references.contains(reference.cteId)) {
        visit(definition.child)
        references(reference.cteId) = definition.child.output
      }
      set(reference.output, references(reference.cteId).map(form(_)))
    case other => addSource(other)
  }

  private def set(columns: Seq[Attribute], texts: Seq[String]): Unit =
    columns.zip(texts).foreach { case (column, text) =>
      known += column.exprId -> Identity(shortened(text), column.name)
    }

  private def define(column: NamedExpression)(text: Expression => String): Unit = column match {
    case alias: Alias =>
      val shown = if (WindowSql.isExtracted(alias)) WindowSql.readable(alias.child, Map.empty) else alias.name
      known += alias.exprId -> Identity(shortened(text(alias.child)), shown)
    case _ => ()
  }

  private def joined(kind: String, texts: Seq[String]) =
    if (texts.distinct.size == 1) texts.head else texts.mkString(s"$kind(", ",", ")")

  /** Adds the columns that `node` itself produces. */
  private def addSource(node: LogicalPlan): Unit = {
    val produced = node.output.filterNot(node.inputSet.contains)
    if (produced.nonEmpty) {
      val seen = mutable.HashMap.empty[String, Int].withDefaultValue(0)
      val texts = produced.map { column =>
        val again = seen(column.name)
        seen(column.name) = again + 1
        val name = quoted(column.name) + (if (again == 0) "" else s"#$again")
        s"$sources.$name:${typeOf(column.dataType)}"
      }
      sources += 1
      set(produced, texts)
    }
  }
}

private[spark] object CanonicalColumns {

  def commonIn(plan: LogicalPlan): Map[Long, CTERelationDef] =
    plan.collect { case definition: CTERelationDef => definition.id -> definition }.toMap
}
