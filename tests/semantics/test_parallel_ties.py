"""Rows that tie are in one order in all tasks that share a window, and in the same one from run to run."""

from __future__ import annotations

import pytest
from cases import crossed
from pyspark.sql import SparkSession

from semantics.sharing import BESIDE_RANKS, Sharing, tasks_of

ROWS = 1_500
SOURCES = [
    f"range(0, {ROWS}, 1, 4)",
    f"(SELECT /*+ REPARTITION(4) */ * FROM range(0, {ROWS}, 1, 4))",
]
KEYS = [
    "1",
    "hash(id) % 2",
    "hash(id) % 5 DESC",
    "concat('a', hash(id) % 6)",
    "id % 3, id % 2",
    # Spark's radix sort moves ties where nulls come.
    "if(id % 100 = 0, 1, NULL)",
    "if(id % 3 = 0, NULL, hash(id) % 7)",
    "if(id % 3 = 0, NULL, hash(id) % 7) DESC",
    "if(id % 3 = 0, NULL, hash(id) % 7) NULLS LAST",
    "if(id % 2 = 0, NULL, id % 3), id % 2",
]


@pytest.mark.parametrize(("key", "source"), crossed(KEYS, SOURCES))
def test_one_order(spark: SparkSession, key: str, source: str) -> None:
    over = f"OVER (ORDER BY {key}"
    found, frame = Sharing(spark).run(
        f"""SELECT row_number() {over}), id, lag(id) {over}), lead(id, 300) {over}),
              collect_list(id) {over} ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING),
              sum(id) {over} ROWS UNBOUNDED PRECEDING), sum(id) {over} ROWS BETWEEN 400 PRECEDING AND 200 FOLLOWING),
              max(id) {over} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
            FROM {source}""",
        {},
    )
    assert tasks_of(frame)[0] > 1
    found.sort()
    ids = [row[1] for row in found]
    assert sorted(ids) == list(range(ROWS))
    for i, row in enumerate(found):
        assert row == (
            i + 1,
            ids[i],
            ids[i - 1] if i else None,
            ids[i + 300] if i + 300 < ROWS else None,
            ids[max(0, i - 2) : i + 2],
            sum(ids[: i + 1]),
            sum(ids[max(0, i - 400) : i + 201]),
            max(ids[i:]),
        )


@pytest.mark.parametrize(("key", "source"), crossed(KEYS, SOURCES))
def test_small_halos(spark: SparkSession, key: str, source: str) -> None:
    """Each task reads one row of others: rows that follow one another form one chain."""
    found, frame = Sharing(spark).run(f"SELECT lag(id) OVER (ORDER BY {key}), id FROM {source}", {})
    assert tasks_of(frame)[0] > 1
    following = dict(found)
    assert len(following) == ROWS
    chain, last = 0, None
    while last in following:
        chain, last = chain + 1, following[last]
    assert chain == ROWS


@pytest.mark.parametrize("source", SOURCES)
def test_one_order_from_run_to_run(spark: SparkSession, source: str) -> None:
    query = f"SELECT id, row_number() OVER (ORDER BY if(id % 3 = 0, NULL, id % 7)) FROM {source}"
    answers = {repr(sorted(Sharing(spark).run(query, {})[0])) for _ in range(3)}
    assert len(answers) == 1


@pytest.mark.parametrize("call", BESIDE_RANKS)
def test_peers_are_counted_once_beside_rows_of_other_tasks(spark: SparkSession, call: str) -> None:
    calls = f"dense_rank() OVER (ORDER BY few), {call.format(w='ORDER BY few')}"
    source = f"SELECT id, pmod(hash(id), 1000003) % 300 AS few FROM range(0, {ROWS}, 1, 4)"
    Sharing(spark).ask(f"SELECT id, {calls} FROM ({source})", spark_too=True)


@pytest.mark.parametrize(
    "call",
    ["arg_max(id, few)", "arg_min(s, few)", "top_k_by(id, few, 3)", "top_k_by(s, l, 2)", "arg_max(id, few, 'last')"],
)
@pytest.mark.parametrize("frame", ["", "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"])
def test_the_first_of_rows_that_tie(sharing: Sharing, call: str, frame: str) -> None:
    """The rows come in another order than that of the window."""
    rows = f"SELECT id, concat('k', id) AS s, 1 AS few, 2D AS l FROM range(0, {ROWS}, 1, 4)"
    sharing.ask(f"SELECT id, {call} OVER (ORDER BY id DESC {frame}) FROM ({rows})")
