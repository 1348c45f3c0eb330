"""The files that `slidewise run` reads: their formats, options, and the errors in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FORMATS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json"}
_COMPRESSED = {".gz", ".bz2", ".zst", ".snappy", ".lz4"}
_DEFAULTS = {"csv": {"header": "true", "inferSchema": "true"}}
_OF_ALL_FILES = {
    "pathglobfilter",
    "recursivefilelookup",
    "modifiedbefore",
    "modifiedafter",
    "ignorecorruptfiles",
    "ignoremissingfiles",
}
_BAD_LINES = "_corrupt_record"


def format_of(path: str) -> str:
    """Spark's name of a file's format, by its ending; a folder without one takes that of a file in it."""
    if known := _ending_of(path):
        return known
    found = next(filter(None, (_ending_of(str(file)) for file in sorted(Path(path).glob("*.*")))), None)
    if found is None:
        raise click.UsageError(f"{path!r} must end in .parquet, .csv, .json or .jsonl, or be a folder of such files")
    return found


def _ending_of(path: str) -> str | None:
    """The format that the ending of a file says, without that of its compression."""
    endings = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() not in _COMPRESSED]
    return _FORMATS.get(endings[-1]) if endings else None


def check_options(spark: SparkSession, kind: str, given: Mapping[str, str]) -> None:
    """Refuses options that Spark's reader of this format does not have: Spark would ignore them."""
    catalyst: Any = spark._jvm.org.apache.spark.sql.catalyst  # type: ignore[union-attr]
    known = catalyst.csv.CSVOptions if kind == "csv" else catalyst.json.JSONOptions
    names = set(_OF_ALL_FILES)
    each = known.getAllOptions().iterator()
    while each.hasNext():
        names.add(str(each.next()).lower())
    for name in given:
        if name.lower() not in names:
            raise click.UsageError(f"--{kind}-option: Spark's {kind.upper()} reader has no option {name!r}")


def read(spark: SparkSession, name: str, path: Path, options: Mapping[str, Mapping[str, str]]) -> DataFrame:
    """The table of a file or folder; `options` are those of each format."""
    kind = format_of(str(path))
    given = options.get(kind, {})
    reader = spark.read.format(kind).options(**_DEFAULTS.get(kind, {})).options(**given)
    table = reader.load(str(path))
    if not table.columns:
        raise click.UsageError(f"--table {name}: {str(path)!r} is empty and has no columns")
    lenient = "mode" in {option.lower() for option in given}
    if kind == "json" and _BAD_LINES in table.columns and not lenient:
        # Spark refuses to read this column alone, hence one column more.
        lines = reader.schema(table.schema.add("slidewise_none", "string")).load(str(path))
        row = lines.where(f"{_BAD_LINES} IS NOT NULL").first()
        if row is not None:
            raise click.UsageError(
                f"--table {name}: {str(path)!r} has a line that is not a JSON object: {_shortened(row[_BAD_LINES])}. "
                "Write --json-option multiLine=true if a document spans lines, or --json-option mode=DROPMALFORMED "
                "to skip such lines"
            )
    return table


def _shortened(line: str) -> str:
    text = " ".join(line.split())
    return repr(text if len(text) <= 40 else text[:39] + "…")
