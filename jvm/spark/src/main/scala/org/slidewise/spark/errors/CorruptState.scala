package org.slidewise.spark.errors

/** A state that cannot be read back as it was written. */
final class CorruptState(what: String)
    extends IllegalStateException(
      s"[SLIDEWISE_CORRUPT_STATE] The state of a window over a stream is damaged: $what. " +
        "Restore the checkpoint from a copy, or begin a new one"
    )
