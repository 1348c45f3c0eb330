package org.slidewise.spark.shims;

import java.util.Collections;
import java.util.List;

import org.apache.spark.JobArtifactSet;
import org.apache.spark.api.python.ChainedPythonFunctions;
import org.apache.spark.api.python.PythonEvalType;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.python.ArrowPythonRunner;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.JavaConverters;
import scala.collection.immutable.Map;

/** A Python function from batches of rows to batches of rows, as `mapInArrow` evaluates it. */
public final class MapInArrow {
  private final PythonFunction function;
  final long id;
  final StructType input;
  final List<Attribute> output;
  final StructType outputType;
  final SQLConf conf;
  final Map<String, SQLMetric> metrics;

  /**
   * @param function Spark's description of the function, whose type is private to Spark
   * @param id the identifier of the function's results, for Spark's profiler
   */
  public MapInArrow(
      Object function,
      long id,
      StructType input,
      List<Attribute> output,
      StructType outputType,
      SQLConf conf,
      Map<String, SQLMetric> metrics) {
    this.function = (PythonFunction) function;
    this.id = id;
    this.input = input;
    this.output = output;
    this.outputType = outputType;
    this.conf = conf;
    this.metrics = metrics;
  }

  @SuppressWarnings("deprecation") // what replaces it is not in Scala 2.12
  ChainedPythonFunctions chained() {
    return new ChainedPythonFunctions(
        JavaConverters.asScalaBuffer(Collections.singletonList(function)).toSeq());
  }

  int evaluation() {
    return PythonEvalType.SQL_MAP_ARROW_ITER_UDF();
  }

  Map<String, String> settings() {
    return ArrowPythonRunner.getPythonRunnerConfMap(conf);
  }

  Option<String> artifacts() {
    return JobArtifactSet.getCurrentJobArtifactState().map(state -> state.uuid());
  }
}
