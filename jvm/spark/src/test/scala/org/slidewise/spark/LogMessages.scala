package org.slidewise.spark

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

/** What Slidewise logs, each message with that of its error. Spark logs beside it, in threads of its own. */
object LogMessages {
  private val Ours = "org.slidewise."

  /** The messages of this JVM while `body` runs, whose loggers let them pass. */
  def during(body: => Any): Seq[String] = of(LogManager.getRootLogger.asInstanceOf[Logger])(body)

  /** The messages of a class while `body` runs, from the level of information on. */
  def of(logging: Class[_])(body: => Any): Seq[String] = {
    val logger = LogManager.getLogger(logging.getName).asInstanceOf[Logger]
    of(logger) {
      // An appender gives a logger its own configuration, and with it the level.
      val level = logger.getLevel
      logger.setLevel(Level.INFO)
      try body
      finally logger.setLevel(level)
    }
  }

  private def of(logger: Logger)(body: => Any): Seq[String] = {
    val messages = Seq.newBuilder[String]
    val appender = new AbstractAppender("messages", null, null, false, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = if (event.getLoggerName.startsWith(Ours))
        messages.synchronized {
          val error = Option(event.getThrown).fold("")(" " + _.getMessage)
          messages += event.getMessage.getFormattedMessage + error
          ()
        }
    }
    appender.start()
    logger.addAppender(appender)
    try body
    finally logger.removeAppender(appender)
    messages.synchronized(messages.result())
  }
}
