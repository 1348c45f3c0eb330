package org.slidewise.spark.refresh

/** The error if another writer changes the target during a refresh. The refresh that raises the error has changed nothing. */
final class ConflictingRefresh(what: String, remedy: String, cause: Throwable)
    extends IllegalStateException(
      s"[${ConflictingRefresh.Condition}] $what. This refresh has changed nothing: $remedy",
      cause
    )

object ConflictingRefresh {
  val Condition = "SLIDEWISE_REFRESH_CONFLICT"

  private[refresh] val Marker = "SLIDEWISE_ROW_NOT_AS_READ"

  /** Whether the error reports another writer: by its class, which a table format defines, or by the marker in its message. */
  private[refresh] def isCause(error: Throwable): Boolean =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(20).exists { e =>
      val name = e.getClass.getName
      val ofFormat = name.startsWith("io.delta.") || name.startsWith("org.apache.spark.sql.delta.") ||
        name.startsWith("org.apache.iceberg.")
      String.valueOf(e.getMessage).contains(Marker) ||
      ofFormat && Seq("Concurrent", "CommitFailed", "ValidationException", "MetadataChanged").exists(
        name.contains
      )
    }
}
