package org.slidewise.spark.execution.python;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

import org.apache.spark.api.python.PythonBroadcast;
import org.apache.spark.api.python.PythonFunction;
import org.apache.spark.api.python.SimplePythonFunction;
import org.apache.spark.broadcast.Broadcast;

/**
 * Makes the functions that Spark sends to Python workers. Written in Java because Spark keeps these
 * classes private to its own Scala packages.
 */
final class PythonFunctions {
  private PythonFunctions() {}

  /**
   * A function that runs `command` in the environment of the first of `functions`, with the files
   * and broadcast values of all of them.
   */
  @SuppressWarnings("unchecked")
  static <F> F withCommand(List<F> functions, byte[] command) {
    PythonFunction first = (PythonFunction) functions.get(0);
    LinkedHashSet<String> includes = new LinkedHashSet<>();
    List<Broadcast<PythonBroadcast>> broadcasts = new ArrayList<>();
    for (F each : functions) {
      PythonFunction function = (PythonFunction) each;
      includes.addAll(function.pythonIncludes());
      for (Broadcast<PythonBroadcast> broadcast : function.broadcastVars()) {
        if (!broadcasts.contains(broadcast)) broadcasts.add(broadcast);
      }
    }
    return (F)
        new SimplePythonFunction(
            command,
            first.envVars(),
            new ArrayList<>(includes),
            first.pythonExec(),
            first.pythonVer(),
            broadcasts,
            first.accumulator());
  }
}
