package org.slidewise.spark.shims;

import java.util.Collections;

import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.python.MapInBatchEvaluatorFactory;
import scala.collection.JavaConverters;

/** Evaluates functions from batches of rows to batches of rows in Python workers. */
public final class ArrowFunctions {
  private ArrowFunctions() {}

  @SuppressWarnings("deprecation")
  public static PartitionEvaluatorFactory<InternalRow, InternalRow> evaluators(MapInArrow call) {
    return new MapInBatchEvaluatorFactory(
        JavaConverters.asScalaBuffer(call.output).toSeq(),
        JavaConverters.asScalaBuffer(Collections.singletonList(call.chained())).toSeq(),
        call.input,
        call.conf.arrowMaxRecordsPerBatch(),
        call.evaluation(),
        call.conf.sessionLocalTimeZone(),
        call.conf.arrowUseLargeVarTypes(),
        call.settings(),
        call.metrics,
        call.artifacts());
  }
}
