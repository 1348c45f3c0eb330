"""An overflow that Spark reports is reported, and one that it does not meet is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import long_if
from plans import plan
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK_ERRORS, condition_of

from semantics.conftest import Ask, Fails

MAX = 9223372036854775807
ROWS = "ROWS BETWEEN {} PRECEDING AND CURRENT ROW"


Over = Callable[[str, str, str], str]


@pytest.fixture(params=["", "PARTITION BY hash(i) % 1 "], ids=["streamed", "in arrays"])
def over(request: pytest.FixtureRequest) -> Over:
    """With a partition key, Slidewise sorts the rows itself, and array kernels answer if they can."""

    def sql(function: str, values: str, frame: str) -> str:
        window = f"({request.param}ORDER BY i {frame})"
        return f"SELECT i, {function} OVER {window} FROM VALUES {values} AS t(i, x) ORDER BY i"

    return sql


def test_a_sum_that_overflows_from_first_to_last_fails(fails: Fails, over: Over) -> None:
    values = f"(1, {MAX}), (2, 1L), (3, -5L)"
    assert fails(over("sum(x)", values, ROWS.format(2))) == "ARITHMETIC_OVERFLOW"


def test_a_sum_of_which_only_a_suffix_overflows_does_not(ask: Ask, over: Over) -> None:
    # From first to last: -5, MAX - 5, MAX - 4. Of the last two rows alone: an overflow.
    values = f"(1, -5L), (2, {MAX}), (3, 1L)"
    answer = ask(over("sum(x)", values, ROWS.format(2)))
    assert answer == [(1, -5), (2, MAX - 5), (3, MAX - 4)]


def test_what_left_the_frame_cannot_overflow_it(ask: Ask, over: Over) -> None:
    values = f"(1, {MAX}), (2, -{MAX}), (3, {MAX}), (4, -1L), (5, 1L), (6, 0L)"
    assert ask(over("sum(x)", values, ROWS.format(1)))[-1] == (6, 1)


@pytest.mark.parametrize("length", [1, 2, 9, *long_if(bool, [(3,), (4,), (5,)])])
def test_try_sum_is_null_just_where_spark_says(ask: Ask, over: Over, length: int) -> None:
    pattern = [MAX, 1, -5, 3, -MAX, -7, MAX, MAX, -MAX, 2, 2, 2, 2, 2]
    values = ", ".join(f"({i}, {x}L)" for i, x in enumerate(pattern))
    answer = ask(over("try_sum(x)", values, ROWS.format(length)))
    assert any(x is None for _, x in answer)
    assert any(x is not None for _, x in answer)


def test_without_ansi_a_sum_wraps_round(ask: Ask, over: Over) -> None:
    values = f"(1, {MAX}), (2, 1L), (3, 1L), (4, 1L)"
    answer = ask(over("sum(x)", values, ROWS.format(2)), ansi_enabled=False)
    assert answer[1] == (2, -MAX - 1)


BIG = "99999999999999999999999999999999999999"


def test_a_sum_of_decimals_fails_as_spark_does(fails: Fails, over: Over) -> None:
    values = f"(1, {BIG}), (2, 1BD), (3, -1BD)"
    assert fails(over("sum(x)", values, ROWS.format(1))).startswith("NUMERIC_VALUE_OUT_OF_RANGE")


def test_without_ansi_a_sum_of_decimals_is_null_where_spark_says(ask: Ask, over: Over) -> None:
    values = f"(1, {BIG}), (2, 1BD), (3, -1BD), (4, 2BD), (5, {BIG}), (6, -{BIG}), (7, 5BD)"
    for length in (1, 2, 3):
        answer = ask(over("sum(x)", values, ROWS.format(length)), ansi_enabled=False)
        assert answer[1] == (2, None)


def test_a_sum_of_decimals_that_only_a_suffix_overflows(ask: Ask, over: Over) -> None:
    values = f"(1, -5BD), (2, {BIG}), (3, 1BD), (4, -1BD)"
    assert str(ask(over("sum(x)", values, ROWS.format(2)))[2][1]) == str(int(BIG) - 4)


@pytest.mark.parametrize("function", ["try_sum", "try_avg"])
def test_trying_decimals(ask: Ask, over: Over, function: str) -> None:
    values = f"(1, {BIG}), (2, {BIG}), (3, -{BIG}), (4, 2BD), (5, NULL), (6, 1BD)"
    for length in (1, 2, 3):
        ask(over(f"{function}(x)", values, ROWS.format(length)))


@pytest.fixture
def intervals(over: Over) -> Callable[[str, str], str]:
    def sql(values: str, frame: str) -> str:
        return over("sum(x)", values, frame).replace("sum(x)", "cast(sum(x)").replace(") FROM", ") AS string) FROM")

    return sql


LONGEST = "make_ym_interval(178956970)"


def test_a_sum_of_intervals_fails_as_spark_does(fails: Fails, intervals: Callable[[str, str], str]) -> None:
    values = f"(1, {LONGEST}), (2, make_ym_interval(10)), (3, make_ym_interval(-20))"
    assert "OVERFLOW" in fails(intervals(values, ROWS.format(2)))


def test_a_sum_of_intervals_of_which_only_a_suffix_overflows(ask: Ask, intervals: Callable[[str, str], str]) -> None:
    values = f"(1, make_ym_interval(-20)), (2, {LONGEST}), (3, make_ym_interval(10))"
    assert ask(intervals(values, ROWS.format(2)))[2] == (3, "INTERVAL '178956960-0' YEAR TO MONTH")


def test_an_average_of_integers_does_not_overflow(ask: Ask, over: Over) -> None:
    values = f"(1, {MAX}), (2, {MAX}), (3, {MAX})"
    assert ask(over("avg(x)", values, ROWS.format(2)))[2][1] == pytest.approx(MAX)


KEYS = "(-2147483646, 1), (0, 2), (1, 3)"


def test_an_order_key_near_its_end(fails: Fails, over: Over) -> None:
    assert fails(over("sum(x)", KEYS, "RANGE BETWEEN 5 PRECEDING AND CURRENT ROW")) == "ARITHMETIC_OVERFLOW"
    assert fails(over("sum(x)", "(0, 1), (2147483646, 2)", "RANGE BETWEEN CURRENT ROW AND 5 FOLLOWING"))


def test_a_bound_that_no_row_is_compared_with_is_not_calculated(ask: Ask, over: Over) -> None:
    # Five before the first key is past the end of its type. No row precedes it, so Spark does not subtract.
    answer = ask(over("sum(x)", KEYS, "RANGE BETWEEN 5 PRECEDING AND 1 PRECEDING"))
    assert answer == [(-2147483646, None), (0, None), (1, 2)]


def test_without_ansi_a_bound_wraps_round(ask: Ask, over: Over) -> None:
    for frame in ("5 PRECEDING AND CURRENT ROW", "5 PRECEDING AND 1 PRECEDING", "CURRENT ROW AND 5 FOLLOWING"):
        keys = KEYS + ", (2147483645, 4), (2147483647, 5)"
        assert len(ask(over("sum(x)", keys, f"RANGE BETWEEN {frame}"), ansi_enabled=False)) == 5


def test_errors_of_rows_that_a_limit_leaves_unread(spark: SparkSession) -> None:
    """The query of docs/guide.md, "The same answers"."""
    guide = (Path(__file__).parents[2] / "docs/guide.md").read_text()
    (sql,) = re.findall(r"```sql\n(SELECT collect_list\(1 / .*?)```", guide, re.DOTALL)
    with settings(spark, {"spark.sql.ansi.enabled": "true"}):
        frame = spark.sql(sql)
        assert "SlidingWindow" in plan(frame)
        assert len(frame.collect()) == 5
        with settings(spark, {"spark.slidewise.enabled": "false"}), pytest.raises(SPARK_ERRORS) as error:
            spark.sql(sql).collect()
    assert condition_of(error.value) == "DIVIDE_BY_ZERO"
