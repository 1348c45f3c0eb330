"""Keys, offsets and windows at the ends of their types: the rows of Spark, or its errors with all that they say."""

from __future__ import annotations

import random

import pytest
from plans import plan
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK, needs_streams

from semantics.outcomes import outcome

MAX = 2**63 - 1
LEAST = "(-9223372036854775807L - 1)"


def _whole(bits: int, suffix: str) -> tuple[list[str], list[str]]:
    top = 2 ** (bits - 1) - 1
    least = f"({-top}{suffix} - 1{suffix})"
    keys = [least, *(f"{n}{suffix}" for n in (-top, -3, -1, 0, 1, 4, top - 1, top))]
    offsets = [
        *(f"{n}{suffix} {side}" for n in (0, 1, 5, top) for side in ("PRECEDING", "FOLLOWING")),
        f"{least} FOLLOWING",
    ]
    return keys, offsets


def _intervals(units: list[str]) -> list[str]:
    return [f"INTERVAL {unit} {side}" for unit in units for side in ("PRECEDING", "FOLLOWING")]


TIMES = [f"timestamp_micros({n})" for n in (LEAST, -MAX, -(10**16), -1, 0, 1, 10**15, MAX - 1, MAX)]
DAYS = ["1 DAY", "3 HOURS", "'106751991' DAY", "'0.000001' SECOND", "1 MONTH", "'178956970' YEAR"]
DOUBLES = [
    "double('NaN')",
    "double('Infinity')",
    "double('-Infinity')",
    "-0.0D",
    "0.0D",
    "4.9E-324D",
    "1.5D",
    "1.7976931348623157E308D",
]

KINDS: dict[str, tuple[list[str], list[str]]] = {
    "tinyint": _whole(8, "Y"),
    "smallint": _whole(16, "S"),
    "int": _whole(32, ""),
    "bigint": _whole(64, "L"),
    "date": (
        [f"date_from_unix_date({n})" for n in (-(2**31), -(2**31) + 1, -1, 0, 1, 2**31 - 2, 2**31 - 1)],
        ["1 PRECEDING", "1 FOLLOWING", "2147483647 PRECEDING", "2147483647 FOLLOWING", "(-2147483647 - 1) FOLLOWING"]
        + _intervals(["1 MONTH", "'178956970' YEAR"])
        + (_intervals(["1 DAY", "'106751991' DAY"]) if SPARK >= (4, 0) else []),
    ),
    "timestamp": (TIMES, _intervals(DAYS)),
    "timestamp_ntz": ([f"cast({time} AS timestamp_ntz)" for time in TIMES], _intervals(DAYS)),
    "decimal": (
        [f"cast('{n}' AS decimal(38, 0))" for n in (-(10**38) + 1, -(10**38) + 2, -1, 0, 1, 10**38 - 1)],
        [f"cast('{n}' AS decimal(38, 0)) {side}" for n in (0, 1, 10**38 - 1) for side in ("PRECEDING", "FOLLOWING")],
    ),
    "float": (
        [f"float('{n}')" for n in ("NaN", "Infinity", "-Infinity", "-0.0", "0.0", "1.4E-45", "3.4028235E38")],
        [
            f"cast('{n}' AS float) {side}"
            for n in ("1", "3.4028235E38", "Infinity", "NaN")
            for side in ("PRECEDING", "FOLLOWING")
        ],
    ),
    "double": (
        DOUBLES,
        [
            f"cast('{n}' AS double) {side}"
            for n in ("1", "1.7976931348623157E308", "Infinity", "NaN")
            for side in ("PRECEDING", "FOLLOWING")
        ],
    ),
    "interval day to second": (
        [f"make_dt_interval(0, 0, 0, {n})" for n in (-9223372036854, -1, 0, 1, 9223372036854)],
        _intervals(["'1' DAY", "'106751991' DAY"]),
    ),
    "interval year to month": (
        [f"make_ym_interval(0, {n})" for n in (-2147483647, -1, 0, 1, 2147483647)],
        _intervals(["'1' MONTH", "'178956970-7' YEAR TO MONTH"]),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_range_frames_over_extreme_keys(spark: SparkSession, kind: str) -> None:
    rng = random.Random(kind)
    keys, bounds = KINDS[kind]
    taken = 0
    for _ in range(3):
        some = rng.sample(keys, min(len(keys), rng.choice([2, 4, 6])))
        values = ", ".join(f"({key}, {i})" for i, key in enumerate([*some, some[0], "NULL"]))
        frames = [
            "{} AND CURRENT ROW",
            "CURRENT ROW AND {}",
            "UNBOUNDED PRECEDING AND {}",
            "{} AND UNBOUNDED FOLLOWING",
        ]
        frame = rng.choice([*frames, "{} AND {}"]).format(rng.choice(bounds), rng.choice(bounds))
        order = f"{rng.choice(['ASC', 'DESC'])} NULLS {rng.choice(['FIRST', 'LAST'])}"
        part = rng.choice(["", "PARTITION BY x % 1 "])
        over = f"OVER ({part}ORDER BY t {order} RANGE BETWEEN {frame})"
        call = rng.choice(["sum(x)", "max_by(x, x)", "count(DISTINCT x)"])
        sql = f"SELECT x, count(*) {over}, {call} {over} FROM VALUES {values} AS v(t, x)"
        for ansi in ("true", "false"):
            on = outcome(spark, sql, sql_ansi_enabled=ansi)
            # Spark alone has no DISTINCT over windows.
            off = outcome(spark, sql.replace("DISTINCT ", ""), sql_ansi_enabled=ansi, slidewise_enabled="false")
            assert on == off, f"{ansi}: {sql}"
            if isinstance(on, list):
                with settings(spark, {"spark.sql.ansi.enabled": ansi}):
                    taken += "SlidingWindow" in plan(spark.sql(sql))
    assert taken > 0


SUMS = [
    "sum(x)",
    "sum(cast(x AS decimal(38, 0)) * 10000000000000000000)",
    "sum(make_dt_interval(0, 0, 0, x / 1000000))",
    "sum(cast(x AS int))",
    "max(x + 1)",
    "sum(abs(x))",
    "max(-x)",
]


@pytest.mark.parametrize("call", SUMS)
def test_what_overflows_in_a_frame_says_where(spark: SparkSession, call: str) -> None:
    values = f"(1, {MAX}), (2, 1L), (3, {LEAST}), (4, -1L), (5, {MAX})"
    for frame in ("ROWS 2 PRECEDING", "", "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"):
        for part in ("", "PARTITION BY i % 1 "):
            sql = f"SELECT i, {call} OVER ({part}ORDER BY i {frame}) FROM VALUES {values} AS v(i, x)"
            for ansi in ("true", "false"):
                on = outcome(spark, sql, sql_ansi_enabled=ansi)
                assert on == outcome(spark, sql, sql_ansi_enabled=ansi, slidewise_enabled="false"), f"{ansi}: {sql}"


def test_an_offset_of_days_beyond_64_bits_fails_as_in_spark(spark: SparkSession) -> None:
    sql = """SELECT count(*) OVER (ORDER BY t RANGE INTERVAL 200000000 DAYS PRECEDING)
             FROM VALUES (TIMESTAMP_NTZ'2020-01-01 00:00:00'), (TIMESTAMP_NTZ'2021-01-01 00:00:00') AS v(t)"""
    for ansi in ("true", "false"):
        legacy = {"sql_legacy_interval_enabled": "true", "sql_ansi_enabled": ansi}
        on = outcome(spark, sql, **legacy)
        assert on == outcome(spark, sql, slidewise_enabled="false", **legacy)
        assert isinstance(on, tuple), on


WINDOWS = ["'10 seconds', '5 seconds'", "'6 microseconds', '3 microseconds'", "'7 microseconds', '3 microseconds'"]
STARTS = ["", ", '2 microseconds'", ", '-2 microseconds'"]


@pytest.mark.parametrize("window", [window + start for window in WINDOWS for start in STARTS])
def test_hopping_windows_over_extreme_times(spark: SparkSession, window: str) -> None:
    rng = random.Random(window)
    for ansi in ("true", "false"):
        for side in (1, -1):
            near = [side * (MAX - rng.randrange(12)) for _ in range(rng.choice([1, 4]))]
            times = ", ".join(f"(timestamp_micros({time}), {i})" for i, time in enumerate([*near, 0]))
            sql = f"""SELECT unix_micros(window.start), unix_micros(window.end), count(*), sum(x)
                      FROM VALUES {times} AS v(ts, x) GROUP BY window(ts, {window})"""
            on = outcome(spark, sql, sql_ansi_enabled=ansi)
            assert on == outcome(spark, sql, sql_ansi_enabled=ansi, slidewise_enabled="false"), f"{ansi}: {sql}"
            with settings(spark, {"spark.sql.ansi.enabled": ansi}):
                assert "HoppingWindow" in plan(spark.sql(sql))


@needs_streams
def test_hopping_windows_of_a_stream_over_extreme_times(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    times = ", ".join(f"(timestamp_micros({time}), 1)" for time in (MAX, MAX - 3, 0))
    rows = str(tmp_path_factory.mktemp("extreme") / "rows")
    spark.sql(f"SELECT * FROM VALUES {times} AS v(ts, x)").write.parquet(rows)
    found = []
    for enabled in ("true", "false"):
        with settings(spark, {"spark.sql.ansi.enabled": "false", "spark.slidewise.enabled": enabled}):
            stream = spark.readStream.schema("ts timestamp, x int").parquet(rows)
            stream.createOrReplaceTempView("extreme_times")
            query = (
                spark.sql(
                    """SELECT unix_micros(window.start) s, unix_micros(window.end) e, sum(x) n
                       FROM extreme_times GROUP BY window(ts, '6 microseconds', '3 microseconds')"""
                )
                .writeStream.format("memory")
                .queryName(f"extreme_{enabled}")
                .outputMode("complete")
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination()
            found.append(sorted(map(tuple, spark.table(f"extreme_{enabled}").collect())))
    assert found[0] == found[1]
    assert len(found[0]) > 0
