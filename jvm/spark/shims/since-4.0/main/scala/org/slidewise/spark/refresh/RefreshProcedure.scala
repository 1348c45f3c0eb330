package org.slidewise.spark.refresh

import java.util.{Collections, Iterator => JIterator}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types._

/** [[Refresh]] as `CALL slidewise.refresh(…)`, with the query and the changed rows as SQL. */
private[spark] object RefreshProcedure extends UnboundProcedure with BoundProcedure {
  override def name: String = "refresh"

  override def description: String =
    "Brings the stored result of a query up to date after rows of a table that it reads have changed"

  override def bind(inputType: StructType): BoundProcedure = this

  override def isDeterministic: Boolean = false

  private val texts = MapType(StringType, StringType)

  override def parameters: Array[ProcedureParameter] = Array(
    ProcedureParameter.in("query", StringType).comment("the query over the table as it is now").build(),
    ProcedureParameter.in("target", StringType).comment("the table that holds its result").build(),
    ProcedureParameter.in("keys", ArrayType(StringType)).comment("the columns that identify a row").build(),
    ProcedureParameter
      .in("changes", StringType)
      .defaultValue("CAST(NULL AS STRING)")
      .comment("a query for the changed rows, such as TABLE new_rows")
      .build(),
    ProcedureParameter
      .in("table", StringType)
      .defaultValue("''")
      .comment("the changed table, if the query reads several; the table of generated")
      .build(),
    ProcedureParameter
      .in("since", LongType)
      .defaultValue("CAST(NULL AS BIGINT)")
      .comment("instead of changes: the version or snapshot of the table that the result was computed from")
      .build(),
    ProcedureParameter
      .in("generated", texts)
      .defaultValue("CAST(map() AS MAP<STRING, STRING>)")
      .comment("expressions of columns of the changed table")
      .build(),
    ProcedureParameter
      .in("changes_of", texts)
      .defaultValue("CAST(map() AS MAP<STRING, STRING>)")
      .comment(
        "instead of changes, if several tables have changed: for the name of each, a query for its changed rows"
      )
      .build()
  )

  override def call(input: InternalRow): JIterator[Scan] = {
    val session = SparkSession.active
    def text(at: Int): Option[String] =
      if (input.isNullAt(at)) None else Some(input.getUTF8String(at).toString)
    def required(at: Int): String = text(at).getOrElse(
      RefusedRefresh.refuse(s"${parameters()(at).name} is NULL", parameters()(at).comment)
    )
    val keys =
      if (input.isNullAt(2)) Nil
      else {
        val array = input.getArray(2)
        (0 until array.numElements()).map(at =>
          if (array.isNullAt(at)) "" else array.getUTF8String(at).toString
        )
      }
    val table = text(4).getOrElse("")
    val several = textsIn(input.getMap(7))
    val changes = (text(3), input.isNullAt(5), several.isEmpty) match {
      case (Some(sql), true, true)               => Map(table -> session.sql(sql))
      case (None, false, true) if table.nonEmpty =>
        Map(table -> Refresh.changesSince(session, table, input.getLong(5)))
      case (None, false, true) => RefusedRefresh.refuse("since is given without table", "both")
      case (None, true, false) => several.map { case (name, sql) => name -> session.sql(sql) }
      case (None, true, true)  => RefusedRefresh.refuse("no changes are given", Given)
      case _ => RefusedRefresh.refuse("more than one of changes, since and changes_of is given", Given)
    }
    val generated = textsIn(input.getMap(6))
    val refresh = Refresh.of(
      session.sql(required(0)),
      required(1),
      keys,
      changes,
      if (generated.isEmpty) Map.empty else Map(table -> generated)
    )
    Collections.singleton[Scan](new Result(refresh.run())).iterator
  }

  private val Given = "one of changes, since and changes_of"

  private def textsIn(map: MapData): Map[String, String] =
    if (map == null) Map.empty
    else {
      val (names, texts) = (map.keyArray(), map.valueArray())
      (0 until map.numElements()).map { at =>
        names.getUTF8String(at).toString -> (if (texts.isNullAt(at)) "" else texts.getUTF8String(at).toString)
      }.toMap
    }

  final private class Result(found: RefreshResult) extends LocalScan {
    override def readSchema: StructType = new StructType()
      .add("whole", BooleanType, nullable = false)
      .add("inserted", LongType, nullable = false)
      .add("updated", LongType, nullable = false)
      .add("deleted", LongType, nullable = false)

    override def rows: Array[InternalRow] =
      Array(InternalRow(found.isWhole, found.inserted, found.updated, found.deleted))
  }
}
