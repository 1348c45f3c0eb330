package org.slidewise.spark

import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import org.slidewise.core.Stable
import org.slidewise.spark.refresh.RefreshProcedure

/**
 * The catalog of Slidewise's procedures, for `CALL slidewise.refresh(…)` in SQL. To use it, set `spark.sql.catalog.slidewise` to the
 * name of this class. Needs Spark 4.0 or later.
 */
@Stable
final class SlidewiseCatalog extends ProcedureCatalog {
  private var ownName = "slidewise"

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ownName = name

  override def name: String = ownName

  override def loadProcedure(procedure: Identifier): UnboundProcedure =
    if (procedure.namespace.isEmpty && procedure.name.equalsIgnoreCase(RefreshProcedure.name))
      RefreshProcedure
    else
      throw new NoSuchElementException(
        s"$ownName has no procedure $procedure. Allowed: ${RefreshProcedure.name}"
      )

  /** Overrides Spark's method since 4.1. */
  def listProcedures(namespace: Array[String]): Array[Identifier] =
    if (namespace.isEmpty) Array(Identifier.of(namespace, RefreshProcedure.name)) else Array.empty
}
