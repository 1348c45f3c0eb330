package org.slidewise.spark.shims;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.ReadStateStore;

/**
 * Scans a state store. The result type of Spark's methods has changed in 4.0.1, so that a direct
 * call fails to link on some patches. The JVM compiles a call through a constant handle to a
 * direct call.
 */
final class StateStoreScans {
  private static final MethodHandle PREFIX_SCAN =
      handle("prefixScan", UnsafeRow.class, String.class);
  private static final MethodHandle ITERATOR = handle("iterator", String.class);

  private StateStoreScans() {}

  static Object prefixScan(ReadStateStore store, UnsafeRow prefix, String family) throws Throwable {
    return (Object) PREFIX_SCAN.invokeExact(store, prefix, family);
  }

  static Object iterator(ReadStateStore store, String family) throws Throwable {
    return (Object) ITERATOR.invokeExact(store, family);
  }

  private static MethodHandle handle(String name, Class<?>... parameters) {
    try {
      MethodType type =
          MethodType.methodType(Object.class, ReadStateStore.class).appendParameterTypes(parameters);
      return MethodHandles.lookup()
          .unreflect(ReadStateStore.class.getMethod(name, parameters))
          .asType(type);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
