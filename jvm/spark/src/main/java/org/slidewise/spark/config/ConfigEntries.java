package org.slidewise.spark.config;

import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.internal.config.ConfigEntry$;
import org.apache.spark.internal.config.TypedConfigBuilder;
import org.apache.spark.sql.internal.SQLConf;
import scala.Function1;
import scala.Option;

/**
 * Registers settings with Spark. Written in Java because Spark's configuration builders are {@code
 * private[spark]}, which binds Scala sources only.
 */
final class ConfigEntries {
  private ConfigEntries() {}

  /**
   * Registers a setting that has a default, and returns a function that reads its value. Uses the
   * registered entry if another class loader has registered the key before: Spark refuses to register a
   * key twice.
   */
  static <T> Function1<SQLConf, T> withDefault(
      String key,
      String doc,
      String since,
      String defaultValue,
      Function1<String, T> parse,
      Function1<T, String> show) {
    // Spark's registry is shared by all class loaders, and so must be the lock.
    synchronized (ConfigEntry$.MODULE$) {
      ConfigEntry<T> known = registered(key);
      return reader(
          known != null
              ? known
              : builder(key, doc, since, parse, show).createWithDefaultString(defaultValue));
    }
  }

  /** Registers a setting that may be left unset, and returns a function that reads its value. */
  static <T> Function1<SQLConf, Option<T>> optional(
      String key, String doc, String since, Function1<String, T> parse, Function1<T, String> show) {
    synchronized (ConfigEntry$.MODULE$) {
      ConfigEntry<Option<T>> known = registered(key);
      return reader(known != null ? known : builder(key, doc, since, parse, show).createOptional());
    }
  }

  private static <T> Function1<SQLConf, T> reader(ConfigEntry<T> entry) {
    return conf -> conf.getConf(entry);
  }

  @SuppressWarnings("unchecked")
  private static <T> ConfigEntry<T> registered(String key) {
    return (ConfigEntry<T>) ConfigEntry.findEntry(key);
  }

  private static <T> TypedConfigBuilder<T> builder(
      String key, String doc, String since, Function1<String, T> parse, Function1<T, String> show) {
    return new TypedConfigBuilder<>(SQLConf.buildConf(key).doc(doc).version(since), parse, show);
  }
}
