package org.slidewise.spark.shims;

import java.util.Collections;
import java.util.List;

import org.apache.spark.JobArtifactSet;
import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.api.python.ChainedPythonFunctions;
import org.apache.spark.api.python.PythonEvalType;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.python.ArrowPythonRunner;
import org.apache.spark.sql.execution.python.MapInBatchEvaluatorFactory;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import scala.Tuple2;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/** Functions from batches of rows to batches of rows, in Python workers. */
public final class ArrowFunctions {
  private ArrowFunctions() {}

  /**
   * Evaluates a Python function as `mapInArrow` does.
   *
   * @param function Spark's description of the function, whose type is private to Spark
   * @param id the identifier of the function's results, for Spark's profiler
   */
  public static PartitionEvaluatorFactory<InternalRow, InternalRow> mapInArrow(
      Object function,
      long id,
      StructType input,
      List<Attribute> output,
      StructType outputType,
      SQLConf conf,
      Map<String, SQLMetric> metrics) {
    ChainedPythonFunctions chained =
        new ChainedPythonFunctions(
            CollectionConverters.asScala(Collections.singletonList((PythonFunction) function)).toSeq());
    return new MapInBatchEvaluatorFactory(
        CollectionConverters.asScala(output).toSeq(),
        CollectionConverters.asScala(Collections.singletonList(new Tuple2<>(chained, (Object) id))).toSeq(),
        input,
        conf.arrowMaxRecordsPerBatch(),
        PythonEvalType.SQL_MAP_ARROW_ITER_UDF(),
        conf.sessionLocalTimeZone(),
        conf.arrowUseLargeVarTypes(),
        ArrowPythonRunner.getPythonRunnerConfMap(conf),
        metrics,
        JobArtifactSet.getCurrentJobArtifactState().map(state -> state.uuid()));
  }
}
