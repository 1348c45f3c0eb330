"""Functions that depend on the order of the rows see it: combine(older, newer), never the other way."""

from __future__ import annotations

import pytest

from semantics.conftest import Ask

LETTERS = "(SELECT id, substring('abcdefghijklmnopqrstuvwxyz', id + 1, 1) AS s FROM range(26))"


@pytest.mark.parametrize("function", ["collect_list(s)", "array_agg(s)", "array(listagg(s))"])
def test_lists_are_in_order(ask: Ask, function: str) -> None:
    over = "OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)"
    sql = function.replace("(s)", f"(s) {over}")
    answer = ask(f"SELECT id, {sql} FROM {LETTERS} ORDER BY id")
    assert "".join(answer[10][1]) == "hijkl"


def test_first_and_last(ask: Ask) -> None:
    answer = ask(
        f"""SELECT id, first(x) OVER w, last(x) OVER w, first(x, true) OVER w, last(x, true) OVER w
            FROM (SELECT id, if(id % 3 = 0, NULL, id) AS x FROM {LETTERS})
            WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) ORDER BY id"""
    )
    assert answer[9] == (9, None, None, 7, 8)


def test_ties_of_max_by_go_to_the_row_that_spark_takes(ask: Ask) -> None:
    answer = ask(
        f"""SELECT id, max_by(s, id div 5) OVER w, min_by(s, id div 5) OVER w
            FROM {LETTERS} WINDOW w AS (ORDER BY id ROWS BETWEEN 7 PRECEDING AND 2 FOLLOWING) ORDER BY id"""
    )
    assert len(answer) == 26


def test_ties_in_the_order_key_stay_in_the_order_of_the_sort(ask: Ask) -> None:
    answer = ask(
        f"SELECT id, collect_list(s) OVER (ORDER BY id % 2 ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM {LETTERS}"
    )
    assert len(answer) == 26


def test_descending(ask: Ask) -> None:
    answer = ask(f"SELECT id, listagg(s) OVER (ORDER BY id DESC ROWS 2 PRECEDING) FROM {LETTERS} ORDER BY id")
    assert answer[0] == (0, "cba")
