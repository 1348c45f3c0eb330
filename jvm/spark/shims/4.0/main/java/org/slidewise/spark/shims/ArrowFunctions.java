package org.slidewise.spark.shims;

import java.util.Collections;

import org.apache.spark.PartitionEvaluatorFactory;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.python.MapInBatchEvaluatorFactory;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Evaluates functions from batches of rows to batches of rows in Python workers. */
public final class ArrowFunctions {
  private ArrowFunctions() {}

  public static PartitionEvaluatorFactory<InternalRow, InternalRow> evaluators(MapInArrow call) {
    return new MapInBatchEvaluatorFactory(
        CollectionConverters.asScala(call.output).toSeq(),
        CollectionConverters.asScala(Collections.singletonList(new Tuple2<>(call.chained(), (Object) call.id))).toSeq(),
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
