package org.slidewise.spark.execution.python

import java.time.ZoneOffset
import java.util.Arrays

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.{PartitionEvaluatorFactory, SparkContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

import org.slidewise.spark.plan.PythonAggregate
import org.slidewise.spark.shims.{ArrowFunctions, MapInArrow}

/**
 * Evaluates functions in a Python worker: sends rows to Python, and returns rows of `output`. Python returns its rows in order,
 * and may lag behind.
 *
 * @param leading
 *   the columns that come before the functions' arguments
 * @param columns
 *   `leading`, followed by the arguments and filters, each once
 */
final private[execution] class PythonEvaluation private (
    val leading: Seq[Attribute],
    val columns: Seq[Expression],
    factory: PartitionEvaluatorFactory[InternalRow, InternalRow]
) extends Serializable {

  /** The arguments and filters of the functions, each once. */
  def inputs: Seq[Expression] = columns.drop(leading.size)

  /** Evaluates rows of `columns`, in the task of partition `index`. */
  def evaluate(index: Int, rows: Iterator[InternalRow]): Iterator[InternalRow] =
    factory.createEvaluator().eval(index, rows)
}

private[execution] object PythonEvaluation {
  private val mapper = new ObjectMapper

  /**
   * @param operator
   *   the name of the evaluation, see `slidewise._aggregates.function`
   * @param describe
   *   adds properties to the description of the operator, and to the description of each function by its place
   */
  def of(
      operator: String,
      functions: Seq[PythonAggregate],
      leading: Seq[Attribute],
      inputs: PythonInputs,
      output: Seq[Attribute],
      ofSession: SQLConf,
      metrics: Map[String, SQLMetric]
  )(describe: (ObjectNode, Seq[ObjectNode]) => Unit): PythonEvaluation = {
    val conf = inZoneForPython(ofSession)
    val description = mapper.createObjectNode()
    description.put("operator", operator)
    description.put("timeZone", conf.sessionLocalTimeZone)
    val each = description.putArray("functions")
    val described = functions.indices.map { i =>
      val node = each.addObject()
      val arguments = node.putArray("arguments")
      inputs.arguments(i).foreach(place => arguments.add(leading.size + place))
      inputs.filters(i).fold(node.putNull("filter"))(place => node.put("filter", leading.size + place))
      node
    }
    describe(description, described)
    val command = PythonCommand.evaluation(functions.map(_.command), description.toString)
    val columns = leading ++ inputs.expressions
    val call = new MapInArrow(
      PythonFunctions.withCommand(Arrays.asList(functions.map(_.function.func): _*), command),
      functions.head.function.resultId.id,
      structOf(columns),
      Arrays.asList(output: _*),
      structOf(output),
      conf,
      metrics
    )
    new PythonEvaluation(leading, columns, ArrowFunctions.evaluators(call))
  }

  private def structOf(columns: Seq[Expression]): StructType =
    StructType(columns.zipWithIndex.map { case (e, i) => StructField(s"_$i", e.dataType) })

  // Python and Arrow know no short names that Spark takes, such as PST and Z.
  private def inZoneForPython(conf: SQLConf): SQLConf = {
    val zone = DateTimeUtils.getZoneId(conf.sessionLocalTimeZone).normalized()
    val name = if (zone == ZoneOffset.UTC) "UTC" else zone.getId
    if (name == conf.sessionLocalTimeZone) conf
    else {
      val other = conf.clone()
      other.setConf(SQLConf.SESSION_LOCAL_TIMEZONE, name)
      other
    }
  }

  /** The metrics of Spark's own operators for Python. */
  def metrics(context: SparkContext): Map[String, SQLMetric] = Map(
    "pythonDataSent" -> SQLMetrics.createSizeMetric(context, "data sent to Python workers"),
    "pythonDataReceived" -> SQLMetrics.createSizeMetric(context, "data returned from Python workers"),
    "pythonBootTime" -> SQLMetrics.createTimingMetric(context, "time to start Python workers"),
    "pythonInitTime" -> SQLMetrics.createTimingMetric(context, "time to initialize Python workers"),
    "pythonTotalTime" -> SQLMetrics.createTimingMetric(context, "time to run Python workers"),
    "pythonProcessingTime" -> SQLMetrics.createTimingMetric(context, "time to execute Python code"),
    "pythonNumRowsReceived" -> SQLMetrics.createMetric(context, "number of rows from Python workers")
  )
}

/**
 * The inputs of functions, each expression once.
 *
 * @param arguments
 *   for each function, the places of its arguments in `expressions`
 * @param filters
 *   for each function, the place of its filter in `expressions`, if it has one
 */
final private[execution] case class PythonInputs(
    expressions: Seq[Expression],
    arguments: Seq[Seq[Int]],
    filters: Seq[Option[Int]]
)

private[execution] object PythonInputs {

  /** The inputs of functions that merge their buffers. */
  def buffers(of: Seq[Expression]): PythonInputs =
    PythonInputs(of, of.indices.map(Seq(_)), of.map(_ => None))

  def of(functions: Seq[PythonAggregate]): PythonInputs = {
    val all = functions.flatMap(f => f.arguments ++ f.filter)
    val each = all.foldLeft(Seq.empty[Expression]) { (kept, next) =>
      if (kept.exists(_.semanticEquals(next))) kept else kept :+ next
    }
    def place(e: Expression) = each.indexWhere(_.semanticEquals(e))
    PythonInputs(each, functions.map(_.arguments.map(place)), functions.map(_.filter.map(place)))
  }
}
