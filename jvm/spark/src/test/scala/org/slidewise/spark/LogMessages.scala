package org.slidewise.spark

import org.apache.logging.log4j.LogManager
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

/** What is logged. */
object LogMessages {

  /** The messages of this JVM while `body` runs, whose loggers let them pass. */
  def during(body: => Any): Seq[String] = {
    val messages = Seq.newBuilder[String]
    val root = LogManager.getRootLogger.asInstanceOf[Logger]
    val appender = new AbstractAppender("messages", null, null, false, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = messages.synchronized {
        messages += event.getMessage.getFormattedMessage
        ()
      }
    }
    appender.start()
    root.addAppender(appender)
    try body
    finally root.removeAppender(appender)
    messages.result()
  }
}
