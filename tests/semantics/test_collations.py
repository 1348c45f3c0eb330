"""Strings that compare equal and are written otherwise: partitions, peers and extremes by collation."""

from __future__ import annotations

import pytest

from semantics.conftest import Ask

WORDS = "(VALUES (1, 'a'), (2, 'A'), (3, 'b'), (4, 'B'), (5, 'a'), (6, NULL), (7, 'Ä'), (8, 'ä') AS t(i, w))"


@pytest.mark.parametrize("collation", ["UTF8_BINARY", "UTF8_LCASE", "UNICODE", "UNICODE_CI", "UNICODE_CI_AI"])
def test_partitions(ask: Ask, collation: str) -> None:
    answer = ask(
        f"""SELECT i, count(*) OVER (PARTITION BY w COLLATE {collation} ORDER BY i ROWS 1 PRECEDING)
            FROM {WORDS} ORDER BY i"""
    )
    assert answer[1][1] == (1 if collation in ("UTF8_BINARY", "UNICODE") else 2)


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI"])
def test_peers(ask: Ask, collation: str) -> None:
    answer = ask(
        f"""SELECT i, count(*) OVER (ORDER BY w COLLATE {collation} RANGE BETWEEN CURRENT ROW AND CURRENT ROW)
            FROM {WORDS} ORDER BY i"""
    )
    assert [n for _, n in answer] == [3, 3, 2, 2, 3, 1, 2, 2]


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_CI", "UNICODE"])
def test_extremes_and_distinct_counts(ask: Ask, collation: str) -> None:
    answer = ask(
        f"""SELECT i, max(w) OVER o, min(w) OVER o, max_by(i, w) OVER o, approx_count_distinct(w) OVER o,
              size(collect_list(w) OVER o), first(w, true) OVER o
            FROM (SELECT i, w COLLATE {collation} AS w FROM {WORDS})
            WINDOW o AS (ORDER BY i ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) ORDER BY i"""
    )
    assert len(answer) == 8
