"""Other plugins of the session: native engines, and session extensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slidewise._configure import EXTENSION
from slidewise._doctor._facts import Facts, listed
from slidewise._doctor._findings import Finding


@dataclass(frozen=True)
class _Engine:
    """A native engine: its classes in `spark.plugins` and `spark.sql.extensions`, and the setting that switches it.

    `tested`: whether its windows and its batches were tested and measured beside Slidewise.
    """

    name: str
    packages: tuple[str, ...]
    switch: str
    tested: bool = False


_ENGINES = (
    _Engine(
        "DataFusion Comet",
        ("org.apache.comet.", "org.apache.spark.CometPlugin"),
        "spark.comet.enabled",
        tested=True,
    ),
    _Engine("Gluten", ("org.apache.gluten.", "io.glutenproject."), "spark.gluten.enabled"),
    _Engine("RAPIDS Accelerator", ("com.nvidia.spark.",), "spark.rapids.sql.enabled"),
)


_TESTED = {
    "io.delta.sql.DeltaSparkSessionExtension": "Delta Lake",
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions": "Iceberg",
}


def conflicts(facts: Facts) -> Iterator[Finding]:
    """The findings about plugins that change plans, as Slidewise does."""
    missing = [name for name in facts.missing_extensions if name != EXTENSION]
    for name in missing:
        yield Finding(
            "warning",
            "extensions",
            f"spark.sql.extensions names {name}, which is not on the class path: Spark ignores it",
            "Add its jar, or remove the name",
        )
    there = [*facts.extensions, *listed(facts.settings.get("spark.plugins"))]
    native = {name: engine for name in there for engine in _ENGINES if name.startswith(engine.packages)}
    for engine in dict.fromkeys(native.values()):
        yield _native(engine, facts)
    tested = [_TESTED[name] for name in facts.extensions if name in _TESTED and name not in missing]
    if tested:
        yield Finding("ok", "extensions", f"{' and '.join(tested)}: tested together with Slidewise")
    others = [name for name in facts.extensions if name not in {*native, *missing, *_TESTED}]
    if others:
        yield Finding(
            "note",
            "extensions",
            f"other extensions change plans, too: {', '.join(others)}",
            "Look at the self-test and at slidewise.explain of your own queries",
        )


def _native(engine: _Engine, facts: Facts) -> Finding:
    if facts.is_false(engine.switch):
        return Finding("ok", "extensions", f"the native engine {engine.name} is configured, and switched off")
    if engine.tested:
        return Finding(
            "ok",
            "extensions",
            f"the native engine {engine.name}: tested together with Slidewise, which reads its columns",
        )
    return Finding(
        "warning",
        "extensions",
        f"the native engine {engine.name} replaces operators of Spark: rows are converted for Slidewise's operators, "
        "or the engine evaluates the windows",
        f"Look at slidewise.explain, and compare the times of your queries with spark.slidewise.enabled and with "
        f"{engine.switch} set to false. Keep the faster one",
    )
