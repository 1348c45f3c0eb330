"""`slidewise checkpoint`: describes, checks and rescales the checkpoint of a stopped streaming query."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import click

from slidewise._features import UnsupportedFeatureError, require_spark
from slidewise._install import call
from slidewise.cli._session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ENTRY = "org.slidewise.spark.execution.streams.checkpoints.CheckpointCommands"
_OPERATORS = {"slidingWindow": "SlidingWindow", "hoppingWindow": "HoppingWindow"}


def describe(path: str, settings: Mapping[str, str]) -> None:
    """Prints the checkpoint and the state of its operators."""
    with _session(settings) as spark:
        report = inspect(spark, path)
    for line in described(report):
        click.echo(line)
    if problems := problems_of(report):
        click.echo(f"\n{_count(len(problems), 'problem')}: see `slidewise checkpoint check {path}`")


def check(path: str, settings: Mapping[str, str]) -> bool:
    """Prints which parts are readable. Returns whether there is a problem."""
    with _session(settings) as spark:
        report = inspect(spark, path)
    for line in checked(report):
        click.echo(line)
    return bool(problems_of(report))


def rescale(path: str, new_path: str, partitions: int | None, store: str | None, settings: Mapping[str, str]) -> None:
    """Writes a new checkpoint, and prints what it has."""
    with _session(settings) as spark:
        report = move(spark, path, new_path, partitions, store)
    for operator in report["operators"]:
        moved = _count(operator["entries"], "entry", "entries")
        click.echo(f"operator {operator['id']} ({_name(operator)}): moved {moved} of its keys")
    click.echo(f"wrote {report['path']} after batch {report['batch']}: start the query with this checkpointLocation")


@contextmanager
def _session(settings: Mapping[str, str]) -> Iterator[SparkSession]:
    with session(settings) as spark:
        try:
            require_spark("4.0", spark.version, "a checkpoint of windows over streams")
        except UnsupportedFeatureError as error:
            raise click.ClickException(str(error)) from error
        yield spark


def inspect(spark: SparkSession, path: str) -> Any:
    """A report on the checkpoint, whose state is read wholly."""
    return json.loads(call(spark, "inspect", spark._jsparkSession, path, of=_ENTRY))


def move(spark: SparkSession, path: str, new_path: str, partitions: int | None, store: str | None) -> Any:
    """Writes a new checkpoint. Returns what it has."""
    number = "" if partitions is None else str(partitions)
    return json.loads(call(spark, "rescale", spark._jsparkSession, path, new_path, number, store or "", of=_ENTRY))


def checked(report: Any) -> Iterator[str]:
    """The lines of `checkpoint check`."""
    for operator in report.get("operators", []):
        if "entries" in operator and not operator["problems"]:
            yield (
                f"operator {operator['id']} ({_name(operator)}): {_count(operator['entries'], 'entry', 'entries')} of "
                f"{_count(operator['keys'], 'key')} in {_count(operator['partitions'], 'partition')} are readable"
            )
    problems = problems_of(report)
    yield from (f"problem: {problem}" for problem in problems)
    if not problems:
        yield f"no problem: batch {report['batch']} of {report['path']} is readable"


def problems_of(report: Any) -> list[str]:
    """The problems of a report, of all operators."""
    return [
        *report["problems"],
        *(f"operator {o['id']}: {text}" for o in report.get("operators", []) for text in o.get("problems", [])),
    ]


def described(report: Any) -> Iterator[str]:
    """The lines of `checkpoint describe`."""
    yield _line("checkpoint", report["path"])
    if "query" in report:
        planned = f"; batch {report['batch'] + 1} is planned and not committed" if report["planned"] else ""
        yield _line("query", report["query"])
        yield _line("last batch", f"{report['batch']}{planned}")
        yield _line("watermark", _time(report["watermark"] * 1000) if report["watermark"] else "none")
        yield _line("partitions", report["partitions"])
        yield _line("state store", f"{report['store']}, checkpoint format {report['format']}")
    for operator in report.get("operators", []):
        yield ""
        yield f"operator {operator['id']}: {_name(operator)}"
        yield from _of_operator(operator)


def _of_operator(operator: Any) -> Iterator[str]:
    if "sql" in operator:
        yield from (_line("  state of" if i == 0 else "", sql) for i, sql in enumerate(operator["sql"]))
        yield _line("  format", f"{operator['versions']}; written by Spark {operator['spark']}")
    if "entries" in operator:
        panes = operator["name"] == "hoppingWindow"
        yield _line("  partitions", operator["partitions"])
        yield _line("  keys", operator["keys"])
        yield _line("  panes" if panes else "  entries", f"{operator['entries']}, {_size(operator['bytes'])}")
        if operator["name"] == "slidingWindow":
            yield _line("  waiting rows", operator["waitingRows"])
        if "oldest" in operator:
            yield _line("  oldest pane" if panes else "  oldest row", _time(operator["oldest"]))


def _line(name: str, value: object) -> str:
    return f"{name:<16}{value}"


def _name(operator: Any) -> str:
    name: str = operator["name"]
    return _OPERATORS.get(name, name)


def _count(number: int, one: str, many: str = "") -> str:
    """
    >>> _count(1, "key"), _count(2, "key"), _count(0, "entry", "entries")
    ('1 key', '2 keys', '0 entries')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def _time(micros: int) -> str:
    """
    >>> _time(1_767_261_600_000_001), _time(-(10**18))
    ('2026-01-01 10:00:00.000001 UTC', '-1000000000000000000 microseconds since 1970')
    """
    try:
        time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=micros)
    except OverflowError:
        return f"{micros} microseconds since 1970"
    return f"{time.replace(tzinfo=None)} UTC"


def _size(size: int) -> str:
    """
    >>> _size(1023), _size(1536), _size(3 << 30)
    ('1023 bytes', '1.5 KiB', '3.0 GiB')
    """
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    unit, shown = 0, float(size)
    while shown >= 1024 and unit < len(units) - 1:
        unit, shown = unit + 1, shown / 1024
    return f"{size} bytes" if unit == 0 else f"{shown:.1f} {units[unit]}"
