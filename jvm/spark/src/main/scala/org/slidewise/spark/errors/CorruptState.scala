package org.slidewise.spark.errors

/** A state that cannot be read back as it was written. */
final class CorruptState(private[spark] val what: String)
    extends IllegalStateException(
      s"[SLIDEWISE_CORRUPT_STATE] The state of a window over a stream is damaged: $what. " +
        "The query has stopped and has not changed the committed state. If the query, Spark or Slidewise has changed since the last " +
        "committed batch, continue with the earlier one; otherwise restore the damaged files from a copy of the checkpoint"
    )
