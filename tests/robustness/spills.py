"""What queries have left on disk."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession


def files_left(spark: SparkSession) -> list[str]:
    """Spill files under the session's local folder; shuffles have files of other names."""
    folder = Path(spark.conf.get("spark.local.dir") or "")
    return [str(path) for path in folder.rglob("temp_local_*") if path.is_file()]
