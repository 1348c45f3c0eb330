"""A session's settings for Comet beside Slidewise."""

from __future__ import annotations

from pathlib import Path

from session import slidewise_jar

_EXTENSIONS = {
    "comet": "org.apache.comet.CometSparkSessionExtensions",
    "slidewise": "org.slidewise.spark.SlidewiseExtensions",
}


def settings(jar: Path, order: str) -> dict[str, str]:
    """With Comet's jar and the order of the extensions, as in `slidewise,comet`. The size of the memory is left out."""
    jars = [str(jar), str(slidewise_jar())]
    return {
        "spark.jars": ",".join(jars),
        "spark.driver.extraClassPath": ":".join(jars),
        "spark.sql.extensions": ",".join(_EXTENSIONS[name] for name in order.split(",")),
        "spark.plugins": "org.apache.spark.CometPlugin",
        "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
        "spark.comet.exec.shuffle.enabled": "true",
        "spark.comet.exec.window.enabled": "true",
        "spark.memory.offHeap.enabled": "true",
    }
