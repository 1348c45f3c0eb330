"""`slidewise checkpoint` over the checkpoints of stopped streams."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from session import settings

from slidewise.cli import _checkpoint
from streams.hopping import Ran, Stream, feed_of
from streams.mixed import OVER, QUERIES, STORES, batch, over


def stream_in(spark: SparkSession, folder: Path, query: str) -> Stream:
    return Stream(spark, feed_of(folder, batch(0), batch(1)), QUERIES[query], "append", "20 seconds")


def begun(stream: Stream, checkpoint: Path, store: str, partitions: int = 2) -> Ran:
    """Runs the first batches."""
    chosen = {f"spark.sql.streaming.stateStore.{name}": value for name, value in STORES[store].items()}
    with settings(stream.spark, {**chosen, "spark.sql.shuffle.partitions": str(partitions)}):
        return stream.run(checkpoint)


def content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def assert_sound(spark: SparkSession, checkpoint: Path) -> Any:
    report = _checkpoint.inspect(spark, str(checkpoint))
    assert _checkpoint.problems_of(report) == []
    return report


def figures(report: Any) -> list[Any]:
    """What a rescaled state has in common with the old one."""
    names = ("name", "sql", "keys", "waitingRows", "oldest")
    return [{name: operator.get(name) for name in names} for operator in report["operators"]]


STEPS = [(5, "rocksdb"), (1, "hdfs"), (3, "rocksdb")]
SHORT = {("rocksdb-2", "windows"), ("hdfs", "hopping")}
CASES = [
    pytest.param(store, query, id=f"{store}-{query}", marks=() if (store, query) in SHORT else pytest.mark.long)
    for store in STORES
    for query in QUERIES
]


@pytest.mark.parametrize(("store", "query"), CASES)
def test_a_rescaled_stream_goes_on_as_before(spark: SparkSession, tmp_path: Path, store: str, query: str) -> None:
    format2 = store == "rocksdb-2"
    timeout = {"spark.slidewise.streaming.keyTimeout": "90 seconds"}
    formats = {"spark.sql.streaming.stateStore.checkpointFormatVersion": "2" if format2 else "1"}
    with settings(spark, {**timeout, **formats}):
        stream = stream_in(spark, tmp_path, query)
        never, rescaled = tmp_path / "never", tmp_path / "0"
        begun(stream, never, store)
        shutil.copytree(never, rescaled)
        for step, (partitions, other) in enumerate(STEPS):
            next_one = tmp_path / str(step + 1)
            before, files = assert_sound(spark, rescaled), content(rescaled)
            to = "rocksdb" if format2 else other
            _checkpoint.move(spark, str(rescaled), str(next_one), partitions, to)
            assert content(rescaled) == files
            after = assert_sound(spark, next_one)
            assert figures(after) == figures(before)
            assert (after["partitions"], after["store"], after["query"]) == (partitions, to, before["query"])
            stream.feed.arrive(batch(2 + step))
            expected, got = stream.run(never), stream.run(next_one)
            assert got.batches == expected.batches
            assert len(got.batches) > 0
            assert [p["batchId"] for p in got.progress] == [p["batchId"] for p in expected.progress]
            rescaled = next_one
        reports = [assert_sound(spark, folder) for folder in (never, rescaled)]
        assert figures(reports[0]) == figures(reports[1])


@pytest.fixture(scope="module")
def stopped(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Stream, Path]:
    """A stream of windows with two operators, and its checkpoint."""
    folder = tmp_path_factory.mktemp("stopped")
    stream = stream_in(spark, folder, "several")
    begun(stream, folder / "checkpoint", "hdfs")
    return stream, folder / "checkpoint"


@pytest.fixture
def checkpoint(stopped: tuple[Stream, Path], tmp_path: Path) -> Path:
    return shutil.copytree(stopped[1], tmp_path / "checkpoint")


def test_a_batch_that_was_not_committed_is_repeated(spark: SparkSession, tmp_path: Path) -> None:
    stream = stream_in(spark, tmp_path, "windows")
    begun(stream, tmp_path / "old", "rocksdb")
    last = max((tmp_path / "old" / "commits").glob("[0-9]*"), key=lambda file: int(file.name))
    last.unlink()
    (last.parent / f".{last.name}.crc").unlink(missing_ok=True)
    _checkpoint.move(spark, str(tmp_path / "old"), str(tmp_path / "new"), 3, None)
    assert assert_sound(spark, tmp_path / "new")["planned"]
    stream.feed.arrive(batch(2))
    got, expected = stream.run(tmp_path / "new"), stream.run(tmp_path / "old")
    assert got.batches == expected.batches
    assert got.progress[0]["batchId"] == int(last.name)


def test_describe_shows_the_state(spark: SparkSession, stopped: tuple[Stream, Path]) -> None:
    _, checkpoint = stopped
    report = assert_sound(spark, checkpoint)
    lines = list(_checkpoint.described(report))
    state = {operator["id"]: operator for operator in report["operators"]}
    assert [o["name"] for o in state.values()] == ["slidingWindow"] * 3
    shown = "\n".join(lines)
    assert json.loads((checkpoint / "metadata").read_text())["id"] in shown
    assert "hdfs, checkpoint format 1" in shown
    assert "sum(n) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW), append mode" in shown
    assert "oldest row" in shown
    assert sorted(o["partitions"] for o in state.values()) == [1, 2, 2]
    source = spark.read.format("statestore")
    for number, operator in state.items():
        read = source.option("operatorId", number).load(str(checkpoint))
        assert operator["entries"] == read.count()
        assert operator["keys"] == read.where("key.section = 0").count()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "partition": (lambda c: shutil.rmtree(c / "state/1/1"), "partition 1 cannot be read: the folder"),
    "changes": (lambda c: cut(last_of(c / "state/1/1")), "partition 1 cannot be read"),
    "flipped": (lambda c: flip(last_of(c / "state/1/0")), "partition 0"),
    "schema": (lambda c: remove(c / "state/1/0/_metadata/schema"), "operator 1: the schema of operator 1 is missing"),
    "metadata": (lambda c: remove(c / "state/1/_metadata/metadata"), "operator 1"),
    "description": (lambda c: remove(c / "slidewise/0.json"), "its description"),
    "format": (lambda c: edit(c / "slidewise/0.json", '"format":3', '"format":9'), "is in format 9"),
    "cells": (lambda c: edit(c / "slidewise/0.json", '"cells":2', '"cells":1'), "keeps cells in format 1"),
    "keys": (lambda c: edit(c / "slidewise/1.json", '"type":"string"', '"type":"date"'), "schema of operator 1"),
    "later": (lambda c: edit(c / "slidewise/0.json", '"spark":"', '"spark":"9.'), "was written by Spark 9."),
    "offsets": (lambda c: remove(last_of(c / "offsets")), "is committed, and"),
    "commit": (lambda c: cut(last_of(c / "commits")), "commits/"),
}


def last_of(folder: Path) -> Path:
    return max((f for f in folder.iterdir() if f.name[0].isdigit()), key=lambda file: int(file.name.split(".")[0]))


def remove(file: Path) -> None:
    """Removes the file and the file with its checksum."""
    file.unlink()
    (file.parent / f".{file.name}.crc").unlink(missing_ok=True)


def write(file: Path, content: bytes) -> None:
    remove(file)
    file.write_bytes(content)


def cut(file: Path) -> None:
    content = file.read_bytes()
    write(file, content[: len(content) // 2])


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 255
    write(file, bytes(content))


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert before in text
    write(file, text.replace(before, after).encode())


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_reported_and_not_moved(spark: SparkSession, checkpoint: Path, damage: str) -> None:
    how, message = DAMAGES[damage]
    how(checkpoint)
    before = content(checkpoint)
    report = _checkpoint.inspect(spark, str(checkpoint))
    problems = _checkpoint.problems_of(report)
    assert any(message in problem for problem in problems), problems
    list(_checkpoint.described(report))
    assert not any("no problem" in line for line in _checkpoint.checked(report))
    new = checkpoint.parent / "new"
    with pytest.raises(Exception, match=r".") as refused:
        _checkpoint.move(spark, str(checkpoint), str(new), 3, "rocksdb")
    assert (
        isinstance(refused.value, PySparkException) or "CORRUPT" in str(refused.value) or "rror" in str(refused.value)
    )
    assert not new.exists()
    assert content(checkpoint) == before


def test_no_query_starts_from_an_unfinished_checkpoint(
    spark: SparkSession, stopped: tuple[Stream, Path], checkpoint: Path
) -> None:
    stream, new = stopped[0], checkpoint.parent / "new"
    _checkpoint.move(spark, str(checkpoint), str(new), 3, None)
    last = int(last_of(new / "offsets").name)
    (new / "offsets" / str(last + 2)).write_text("unfinished: slidewise checkpoint rescale is writing this checkpoint")
    assert "is not finished" in refusal(spark, new, checkpoint.parent / "newer")
    with pytest.raises(PySparkException):
        stream.run(new)
    for log in ("commits", "state", "slidewise", "sources"):
        shutil.rmtree(new / log)
    with pytest.raises(PySparkException):
        stream.run(new)


def refusal(spark: SparkSession, path: Path, new: Path, partitions: int | None = 3, store: str | None = None) -> str:
    with pytest.raises(AnalysisException, match="SLIDEWISE_INVALID_CHECKPOINT") as refused:
        _checkpoint.move(spark, str(path), str(new), partitions, store)
    return str(refused.value)


def test_arguments_that_are_not_allowed_are_named(spark: SparkSession, checkpoint: Path) -> None:
    new = checkpoint.parent / "new"
    assert "--partitions = 0 is no number of partitions. Allowed: at least 1" in refusal(spark, checkpoint, new, 0)
    assert "--store = disk is not known. Allowed: hdfs, rocksdb" in refusal(spark, checkpoint, new, None, "disk")
    assert "contain each other" in refusal(spark, checkpoint, checkpoint / "new")
    assert "contain each other" in refusal(spark, checkpoint, checkpoint)
    assert not new.exists()
    new.mkdir()
    (new / "mine").touch()
    assert "exists and is not empty" in refusal(spark, checkpoint, new)
    assert [file.name for file in new.iterdir()] == ["mine"]
    assert "is no checkpoint of a streaming query" in refusal(spark, new, checkpoint.parent / "other")
    assert "is no checkpoint of a streaming query" in refusal(spark, checkpoint.parent / "gone", new)
    shutil.rmtree(checkpoint / "commits")
    assert "has no committed batch" in refusal(spark, checkpoint, checkpoint.parent / "other")


def test_settings_of_the_checkpoint_that_cannot_be_moved_are_named(spark: SparkSession, checkpoint: Path) -> None:
    offsets = last_of(checkpoint / "offsets")
    valid = offsets.read_text()
    for name, value in {
        "statefulOperator.useStrictDistribution": "false",
        "stateStore.encodingFormat": "avro",
        "stateStore.providerClass": "my.Provider",
    }.items():
        lines = valid.split("\n")
        conf = json.loads(lines[1])
        conf["conf"][f"spark.sql.streaming.{name}"] = value
        write(offsets, "\n".join([lines[0], json.dumps(conf), *lines[2:]]).encode())
        assert f"spark.sql.streaming.{name} = {value}" in refusal(spark, checkpoint, checkpoint.parent / "new")


def test_format_2_needs_rocksdb(spark: SparkSession, tmp_path: Path) -> None:
    begun(stream_in(spark, tmp_path, "hopping"), tmp_path / "old", "rocksdb-2")
    assert "Allowed: rocksdb" in refusal(spark, tmp_path / "old", tmp_path / "new", 2, "hdfs")


def test_a_join_of_streams_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    def join(rows: DataFrame) -> DataFrame:
        rows.createOrReplaceTempView("events")
        joined = "SELECT a.k, a.ts, b.n FROM events a JOIN events b ON a.k = b.k AND a.ts = b.ts"
        return over(f"SELECT k, ts, sum(n) {OVER} ROWS 3 PRECEDING) AS s FROM events")(rows.sparkSession.sql(joined))

    stream = Stream(spark, feed_of(tmp_path, batch(0)), join, "append", "20 seconds")
    begun(stream, tmp_path / "old", "rocksdb")
    assert "(symmetricHashJoin) is one of Spark's operators" in refusal(spark, tmp_path / "old", tmp_path / "new")
    assert any(
        "symmetricHashJoin" in p for p in _checkpoint.problems_of(_checkpoint.inspect(spark, str(tmp_path / "old")))
    )


def test_the_command_line(checkpoint: Path) -> None:
    new = checkpoint.parent / "new"

    def slidewise(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "slidewise", "checkpoint", *arguments, "--master", "local[1]"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    code, said = slidewise("rescale", str(checkpoint), str(new))
    assert (code, "give --partitions, --store or both" in said) == (2, True), said
    code, said = slidewise("rescale", str(checkpoint), str(new), "--partitions", "3", "--store", "rocksdb")
    assert code == 0, said
    assert "start the query with this checkpointLocation" in said
    code, said = slidewise("check", str(new))
    assert (code, "no problem" in said) == (0, True), said
    shutil.rmtree(new / "state" / "1" / "2")
    code, said = slidewise("check", str(new))
    assert (code, "partition 2 cannot be read" in said) == (1, True), said
    code, said = slidewise("describe", str(new), "--conf", "spark.sql.shuffle.partitions=1")
    assert code == 0, said
    assert "1 problem: see" in said
