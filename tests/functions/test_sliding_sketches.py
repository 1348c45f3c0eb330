"""Sketches of times that come in any order: every answer within the error that was asked for, however it was made."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import crossed
from plans import plan
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK_ERRORS, condition_of, unsaid

import slidewise

WIDTH = 2000
# Times that run on, delayed by up to 300 and one in fifty far too late; some null, and values from 0 to 999.
ARRIVALS = f"""(
  SELECT id AS i, id % 3 AS g, id DIV 500 AS hour,
    if(pmod(hash(id, 1), 40) = 0, NULL,
       id - if(pmod(hash(id, 2), 50) = 0, {WIDTH} + id DIV 2, pmod(hash(id, 3), 300))) AS ts,
    if(pmod(hash(id, 4), 30) = 0, NULL, pmod(hash(id, 5), 1000)) AS x
  FROM range(0, 6000, 1, {{n}}))"""
WIDTHS = [0, 1, 7, 50, 333, 1000, 1999, 2000]
OTHER_WAYS = [{}, {"spark.slidewise.enabled": "false"}, {"spark.sql.ansi.enabled": "false"}]


def truth(rows: list[tuple[int | None, int | None]], now: int, width: int) -> int:
    return sum(x for ts, x in rows if ts is not None and x is not None and now - width <= ts <= now)


def assert_within(found: float, lower: float, upper: float, exact: int, epsilon: float) -> None:
    assert lower <= exact <= upper, (lower, exact, upper)
    assert abs(found - exact) <= epsilon * exact + 1e-9, (found, exact)


@pytest.mark.parametrize(("partitions", "epsilon", "changes"), crossed([7, 1], [0.02, 0.3], OTHER_WAYS))
def test_groups_and_unions_of_groups(
    spark: SparkSession, partitions: int, epsilon: float, changes: dict[str, str]
) -> None:
    table = ARRIVALS.format(n=partitions)
    rows = spark.sql(f"SELECT g, ts, x FROM {table}").collect()
    made = (
        f"sliding_sum_sketch_agg(ts, x, {WIDTH}, {epsilon}) AS s, sliding_count_sketch_agg(ts, {WIDTH}, {epsilon}) AS c"
    )
    whole = f"SELECT g, {made} FROM {table} GROUP BY g"
    merged = f"""SELECT g, sliding_sketch_union_agg(s) AS s, sliding_sketch_union_agg(c) AS c
                 FROM (SELECT g, hour, {made} FROM {table} GROUP BY g, hour) GROUP BY g"""
    widths = ", ".join(f"({w})" for w in WIDTHS)
    with settings(spark, changes):
        for sketches in (whole, merged):
            answers = spark.sql(
                f"""SELECT g, w, sliding_sketch_estimate(s, 6000, w) AS s, sliding_sketch_bounds(s, 6000, w) AS sb,
                      sliding_sketch_estimate(c, 6000, w) AS c, sliding_sketch_bounds(c, 6000, w) AS cb
                    FROM ({sketches}) CROSS JOIN VALUES {widths} AS w(w)"""
            ).collect()
            assert len(answers) == 3 * len(WIDTHS)
            for a in answers:
                mine = [(row.ts, row.x) for row in rows if row.g == a.g]
                assert_within(a.s, *a.sb, truth(mine, 6000, a.w), epsilon)
                ones = [(ts, 1) for ts, _ in mine]
                assert_within(a.c, *a.cb, truth(ones, 6000, a.w), epsilon)


@pytest.mark.parametrize(
    ("changes", "algorithm"),
    [
        ({}, "two-stacks-lite-sketches"),
        ({"spark.slidewise.mergeApproximate": "false"}, "recalculation"),
        ({"spark.slidewise.enabled": "false"}, None),
        ({"spark.slidewise.state.maxSize": "64k"}, "two-stacks-lite-sketches"),
    ],
)
def test_over_frames(spark: SparkSession, changes: dict[str, str], algorithm: str | None) -> None:
    frame, epsilon = 400, 0.1
    sql = f"""SELECT g, i, ts, x, now, sliding_sketch_estimate(s, now, 150) AS s,
                     sliding_sketch_bounds(s, now, 150) AS b
              FROM (SELECT *, sliding_sum_sketch_agg(ts, x, 200, {epsilon}) OVER w AS s, max(ts) OVER w AS now
                    FROM {ARRIVALS.format(n=3)} WHERE i < 1500
                    WINDOW w AS (PARTITION BY g ORDER BY i ROWS {frame - 1} PRECEDING)) ORDER BY g, i"""
    with settings(spark, changes):
        query = spark.sql(sql)
        reports = [r.algorithm for r in slidewise.explain(query).collect() if "sketch" in r[0]]
        assert reports == [algorithm]
        answers = query.collect()
    for g in range(3):
        mine = [a for a in answers if a.g == g]
        for at, a in enumerate(mine):
            if a.s is not None:
                rows = [(r.ts, r.x) for r in mine[max(0, at - frame + 1) : at + 1]]
                # Where the newest row has no value, the window ends after all that the sketch has seen.
                assert_within(a.s, *a.b, truth(rows, a.now, 150), epsilon)
    assert sum(a.s is not None for a in answers) > 1400


@pytest.mark.parametrize("start", ["TIMESTAMP", "TIMESTAMP_NTZ"])
def test_times_are_microseconds(spark: SparkSession, start: str) -> None:
    now = f"{start}'2026-03-29 12:00:00'"
    sql = f"""SELECT sliding_sketch_estimate(s, {now}, INTERVAL '1' SECOND),
                sliding_sketch_estimate(s, {now}, INTERVAL '2' DAY),
                sliding_sketch_estimate(s, {now} + INTERVAL '1' MICROSECOND, INTERVAL '1' SECOND)
              FROM (SELECT sliding_count_sketch_agg(ts, INTERVAL '2' DAY, 0.05) AS s
                    FROM (SELECT explode(array({now}, {now} - INTERVAL '1' SECOND, {now} - INTERVAL '1' DAY)) AS ts))"""
    assert tuple(spark.sql(sql).first()) == (2.0, 3.0, 1.0)


def test_dates_are_midnights(spark: SparkSession) -> None:
    made = """SELECT sliding_sum_sketch_agg(d, x, INTERVAL '30' DAY, 0.05) AS s
              FROM VALUES (DATE'2026-01-31', 5), (DATE'2026-01-30', 3), (DATE'2026-01-01', 1) AS t(d, x)"""
    sql = f"SELECT sliding_sketch_estimate(s, DATE'2026-01-31', w) FROM ({made}) CROSS JOIN VALUES"
    widths = "(INTERVAL '0' DAY), (INTERVAL '1' DAY), (INTERVAL '30' DAY) AS w(w)"
    assert sorted(row[0] for row in spark.sql(f"{sql} {widths}").collect()) == [5.0, 8.0, 9.0]


def test_nulls_and_nothing(spark: SparkSession) -> None:
    sketch = "sliding_sum_sketch_agg(ts, x, 10, 0.1)"
    row = spark.sql(
        f"""SELECT {sketch}, sliding_sketch_union_agg({sketch}) OVER (), sliding_sketch_estimate({sketch}, 5, 3)
            FROM VALUES (NULL, 3), (4, NULL) AS t(ts, x)"""
    ).first()
    assert tuple(row) == (None, None, None)
    row = spark.sql(
        """SELECT sliding_count_sketch_agg(NULL, INTERVAL '1' DAY, 0.1), sliding_sum_sketch_agg(1, NULL, 5, 0.1),
             sliding_sketch_estimate(NULL, 1, 2),
             sliding_sketch_bounds(sliding_count_sketch_agg(1, 5, 0.1), NULL, NULL)"""
    ).first()
    assert tuple(row) == (None, None, None, None)


def test_in_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Each batch merges its sketches into those that are kept from before; the second holds the oldest rows."""
    source = tmp_path / "in"
    for part in (1, 2, 0):
        table = ARRIVALS.format(n=1)
        spark.sql(f"SELECT * FROM {table} WHERE i DIV 2000 = {part}").write.mode("append").parquet(str(source))
    stream = spark.readStream.schema("i bigint, g bigint, hour bigint, ts bigint, x int")
    stream.option("maxFilesPerTrigger", 1).parquet(str(source)).createOrReplaceTempView("arriving")
    query = (
        spark.sql(f"SELECT g, sliding_sum_sketch_agg(ts, x, {WIDTH}, 0.1) AS s FROM arriving GROUP BY g")
        .writeStream.format("memory")
        .queryName("sketched")
        .outputMode("complete")
        .start()
    )
    try:
        query.processAllAvailable()
        found = spark.sql(
            "SELECT g, sliding_sketch_estimate(s, 6000, 1500), sliding_sketch_bounds(s, 6000, 1500) FROM sketched"
        )
        answers = found.collect()
    finally:
        query.stop()
    rows = spark.sql(f"SELECT g, ts, x FROM {ARRIVALS.format(n=1)}").collect()
    assert len(answers) == 3
    for g, estimate, bounds in answers:
        assert_within(estimate, *bounds, truth([(r.ts, r.x) for r in rows if r.g == g], 6000, 1500), 0.1)


def test_a_group_that_falls_back_to_sorting(spark: SparkSession) -> None:
    sql = f"""SELECT k, sliding_sketch_estimate(s, 6000, 1500) AS n
              FROM (SELECT i % 200 AS k, sliding_count_sketch_agg(ts, {WIDTH}, 0.1) AS s
                    FROM {ARRIVALS.format(n=3)} GROUP BY k)
              ORDER BY k"""
    expected = spark.sql(sql).collect()
    with settings(spark, {"spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "2"}):
        assert spark.sql(sql).collect() == expected


def test_sketches_stored_by_the_hour_answer_for_any_width(spark: SparkSession) -> None:
    """The recipe of docs/summaries.md, as it stands there."""
    page = (Path(__file__).parents[2] / "docs" / "summaries.md").read_text(encoding="utf-8")
    recipe = page.split("<!-- recipe -->")[1].split("```sql\n")[1].split("```")[0]
    create, ask = (s.strip() for s in recipe.split(";") if s.strip())
    rng = random.Random(7)
    sent = [
        (i, f"host{rng.randrange(3)}", int(rng.triangular(0, 86400, 86400)), rng.randrange(1500)) for i in range(9000)
    ]
    spark.createDataFrame(sent, "i int, host string, s int, bytes int").selectExpr(
        "host", "timestamp_ntz'2026-01-01 00:00:00' + make_dt_interval(0, 0, 0, s) AS sent", "bytes", "s"
    ).createOrReplaceTempView("packets")
    spark.sql("DROP TABLE IF EXISTS packet_sketches")
    try:
        spark.sql(create)
        answers = spark.sql(ask).collect()
    finally:
        spark.sql("DROP TABLE IF EXISTS packet_sketches")
    assert len(answers) == 3
    for row in answers:
        rows = [(s, b) for _, host, s, b in sent if host == row.host]
        newest, now = max(s for s, _ in rows), 24 * 3600
        assert newest <= now
        assert abs(row.last_10_minutes - truth(rows, now, 600)) <= 0.05 * truth(rows, now, 600)
        assert abs(row.last_5_hours - truth(rows, now, 5 * 3600)) <= 0.05 * truth(rows, now, 5 * 3600)


TABLE = "FROM VALUES (1, 2, 'a', TIMESTAMP'2026-01-01 00:00:00') AS t(i, x, s, t)"


@pytest.mark.parametrize(
    ("call", "condition", "said"),
    [
        ("sliding_count_sketch_agg(i, 0, 0.1)", "VALUE_OUT_OF_RANGE", ["`max_width`", "[1, 1152921504606846976]", "0"]),
        ("sliding_count_sketch_agg(t, INTERVAL '-1' HOUR, 0.1)", "VALUE_OUT_OF_RANGE", ["`max_width`", "INTERVAL"]),
        ("sliding_count_sketch_agg(i, x, 0.1)", "NON_FOLDABLE_INPUT", ["`max_width`"]),
        ("sliding_count_sketch_agg(i, CAST(NULL AS INT), 0.1)", "VALUE_OUT_OF_RANGE", ["`max_width`", "NULL"]),
        ("sliding_count_sketch_agg(t, 10, 0.1)", "UNEXPECTED_INPUT_TYPE", ["second", "INTERVAL DAY TO SECOND"]),
        ("sliding_count_sketch_agg(i, INTERVAL '1' DAY, 0.1)", "UNEXPECTED_INPUT_TYPE", ["second", "BIGINT"]),
        ("sliding_count_sketch_agg(t, INTERVAL '1' MONTH, 0.1)", "UNEXPECTED_INPUT_TYPE", ["second", "INTERVAL DAY"]),
        ("sliding_count_sketch_agg(s, 10, 0.1)", "UNEXPECTED_INPUT_TYPE", ["first", "TIMESTAMP_NTZ"]),
        ("sliding_count_sketch_agg(i, 10, 0)", "VALUE_OUT_OF_RANGE", ["`epsilon`", "[9.5367431640625E-7, 1)", "0"]),
        ("sliding_count_sketch_agg(i, 10, 1.0)", "VALUE_OUT_OF_RANGE", ["`epsilon`", "1.0"]),
        ("sliding_count_sketch_agg(i, 10, double('NaN'))", "VALUE_OUT_OF_RANGE", ["`epsilon`", "NaN"]),
        ("sliding_count_sketch_agg(i, 10, 'a')", "UNEXPECTED_INPUT_TYPE", ["third", "NUMERIC"]),
        ("sliding_sum_sketch_agg(i, 1.5, 10, 0.1)", "UNEXPECTED_INPUT_TYPE", ["second", "BIGINT"]),
        ("sliding_sum_sketch_agg(i, x, 10, x)", "NON_FOLDABLE_INPUT", ["`epsilon`"]),
        ("sliding_sketch_union_agg(i)", "UNEXPECTED_INPUT_TYPE", ["first", "BINARY"]),
        ("sliding_sketch_estimate(i, 1, 1)", "UNEXPECTED_INPUT_TYPE", ["first", "BINARY"]),
        ("sliding_sketch_estimate(X'00', t, 1)", "UNEXPECTED_INPUT_TYPE", ["third", "INTERVAL"]),
        ("sliding_sketch_bounds(X'00', i, -1)", "VALUE_OUT_OF_RANGE", ["`width`", "-1"]),
    ],
)  # fmt: skip
def test_what_is_refused_when_a_query_is_analysed(
    spark: SparkSession, call: str, condition: str, said: list[str]
) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"SELECT {call} {TABLE}")
    assert condition_of(caught.value) == f"DATATYPE_MISMATCH.{condition}", caught.value
    assert unsaid(said, caught.value) == [], caught.value


GOOD = "(SELECT sliding_count_sketch_agg(id, 100, 0.1) FROM range(1000))"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        (
            "SELECT sliding_sum_sketch_agg(1, x, 10, 0.1) FROM VALUES (3), (-7) AS t(x)",
            ["`x`", "-7", "9007199254740992"],
        ),
        ("SELECT sliding_count_sketch_agg(5000000000000000000, 10, 0.1)", ["`ts`", "2305843009213693952"]),
        (
            "SELECT sliding_sum_sketch_agg(id, 9007199254740992, 10000, 0.5) FROM range(1100)",
            ["`x`", "2^62"],
        ),
        # Sums that only the sketches of all tasks, or the frames of a window, reach.
        *(
            (f"SELECT sliding_sketch_estimate({call}, 9, 9)", [argument, "2^62"])
            for call, argument in (
                ("(SELECT sliding_sum_sketch_agg(7, 9007199254740992, 10, 0.5) FROM range(0, 3000, 1, 8))", "`x`"),
                (
                    """(SELECT max(s) FROM (SELECT sliding_sum_sketch_agg(7, 9007199254740992, 10, 0.5)
                         OVER (ORDER BY id ROWS 600 PRECEDING) AS s FROM range(1000)))""",
                    "`x`",
                ),
                (
                    """(SELECT sliding_sketch_union_agg(s) FROM
                         (SELECT sliding_sum_sketch_agg(7, 9007199254740992, 10, 0.5) AS s
                          FROM range(1500) GROUP BY id % 5))""",
                    "`sketch`",
                ),
            )
        ),
        ("SELECT sliding_sketch_estimate(X'', 1, 1)", ["`sketch`", "0 bytes"]),
        ("SELECT sliding_sketch_estimate(X'0108FFFFFF', 1, 1)", ["`sketch`", "5 bytes"]),
        ("SELECT sliding_sketch_estimate(X'0901', 1, 1)", ["`sketch`", "format version 9"]),
        ("SELECT sliding_sketch_union_agg(X'010105')", ["`sketch`", "AdditiveCount"]),
        (
            """SELECT sliding_sketch_union_agg(s) FROM (SELECT sliding_count_sketch_agg(1, 10, 0.1) AS s
                 UNION ALL SELECT sliding_count_sketch_agg(1, 20, 0.1))""",
            ["`sketch`", "max_width 10", "max_width 20"],
        ),
        (f"SELECT sliding_sketch_estimate({GOOD}, 999, id) FROM range(101, 102)", ["`width`", "101", "100"]),
        (f"SELECT sliding_sketch_estimate({GOOD}, 900, 50)", ["`now`", "900", "949 or later", "newest time is 999"]),
        (
            """SELECT sliding_sketch_estimate(sliding_count_sketch_agg(t, INTERVAL '1' DAY, 0.1), t, INTERVAL '2' DAY)
               FROM VALUES (TIMESTAMP'2026-01-01 00:00:00') AS v(t) GROUP BY t""",
            ["`width`", "INTERVAL '2 00:00:00' DAY TO SECOND", "max_width INTERVAL '1 00:00:00' DAY"],
        ),
    ],
)
@pytest.mark.parametrize("slidewise_on", ["true", "false"])
def test_what_is_wrong_in_a_row_is_named(spark: SparkSession, sql: str, said: list[str], slidewise_on: str) -> None:
    with settings(spark, {"spark.slidewise.enabled": slidewise_on}), pytest.raises(SPARK_ERRORS) as caught:
        spark.sql(sql).collect()
    assert unsaid(["SLIDEWISE_INVALID_ARGUMENT", *said], caught.value) == [], caught.value


def failed(spark: SparkSession, sql: str) -> str | None:
    try:
        spark.sql(sql).collect()
    except SPARK_ERRORS as error:
        return str(error)
    return None


def test_a_damaged_sketch_is_an_error_or_a_sketch(spark: SparkSession) -> None:
    """No byte that is changed makes a question fail in another way, or never end."""
    [good] = spark.sql(f"SELECT sliding_sum_sketch_agg(ts, x, {WIDTH}, 0.1) FROM {ARRIVALS.format(n=1)}").first()
    rng = random.Random(5)
    for _ in range(60):
        bad = bytearray(good[: rng.choice([len(good), rng.randrange(1, len(good))])])
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        literal = f"X'{bad.hex()}'"
        sql = f"SELECT sliding_sketch_union_agg(s) FROM VALUES ({literal}), ({literal}) AS t(s)"
        failure = failed(spark, sql)
        assert failure is None or "`sliding_sketch_union_agg`" in failure, bad.hex()


def test_the_result_is_small(spark: SparkSession) -> None:
    sql = "SELECT length(sliding_count_sketch_agg(id, 1000000, 0.05)) FROM range(1000000)"
    assert spark.sql(sql).first()[0] < 2000
    assert "ObjectHashAggregate" in plan(spark.sql(sql))
