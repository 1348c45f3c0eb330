package org.slidewise.spark.errors

import java.util.{Collections, LinkedHashMap, Map => JMap}

/** The parameters of an error message, by name, as Spark's errors have them. */
private[spark] object MessageParameters {
  def apply(parameters: (String, String)*): JMap[String, String] = {
    val all = new LinkedHashMap[String, String]
    parameters.foreach { case (name, value) => all.put(name, value) }
    Collections.unmodifiableMap(all)
  }
}
