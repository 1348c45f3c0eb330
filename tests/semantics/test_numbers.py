"""Floating point: nothing is subtracted, so what left the frame leaves no trace."""

from __future__ import annotations

import math

import pytest
from pyspark.sql import SparkSession

from semantics.conftest import Ask


def test_a_huge_value_that_left_takes_no_digit_with_it(ask: Ask) -> None:
    answer = ask(
        """SELECT i, sum(x) OVER w, avg(x) OVER w, stddev_pop(x) OVER w
           FROM VALUES (1, 1e18D), (2, 0.1D), (3, 0.1D), (4, 0.1D) AS t(i, x)
           WINDOW w AS (ORDER BY i ROWS 1 PRECEDING) ORDER BY i"""
    )
    assert answer[2:] == [(3, 0.2, 0.1, 0.0), (4, 0.2, 0.1, 0.0)]


@pytest.mark.parametrize("poison", ["double('NaN')", "double('Infinity')", "double('-Infinity')"])
def test_nan_and_infinity_leave_with_their_row(ask: Ask, poison: str) -> None:
    answer = ask(
        f"""SELECT i, sum(x) OVER w, avg(x) OVER w, var_pop(x) OVER w, max(x) OVER w
            FROM VALUES (1, 1D), (2, {poison}), (3, 2D), (4, 2D), (5, 2D) AS t(i, x)
            WINDOW w AS (ORDER BY i ROWS 1 PRECEDING) ORDER BY i"""
    )
    assert answer[3:] == [(4, 4.0, 2.0, 0.0, 2.0), (5, 4.0, 2.0, 0.0, 2.0)]


@pytest.mark.parametrize("length", [2, 3, 5, 7, 11])
def test_a_constant_has_no_variance_at_any_length(ask: Ask, length: int) -> None:
    """Rounding in a merge must not give a constant a variance, out of which a correlation is then made."""
    answer = ask(
        f"""SELECT id, var_samp(x) OVER w, corr(x, y) OVER w, skewness(x) OVER w, kurtosis(x) OVER w,
              regr_r2(y, x) OVER w, regr_slope(y, x) OVER w
            FROM (SELECT id, 0.1D AS x, id * 0.7D AS y FROM range(60))
            WINDOW w AS (ORDER BY id ROWS BETWEEN {length - 1} PRECEDING AND CURRENT ROW) ORDER BY id""",
        ansi_enabled=False,  # Spark 4.2 divides by such a variance, and fails
    )
    assert {row[1] for row in answer[1:]} == {0.0}
    assert {row[2] for row in answer} == {None} or all(math.isnan(row[2]) for row in answer if row[2] is not None)


def test_means_of_far_away_values_keep_their_digits(spark: SparkSession) -> None:
    answer = spark.sql(
        """SELECT id, stddev_pop(x) OVER (ORDER BY id ROWS BETWEEN 99 PRECEDING AND CURRENT ROW) AS s
           FROM (SELECT id, 1e9D + id % 2 AS x FROM range(1000))"""
    ).collect()
    assert all(math.isclose(row.s, 0.5, rel_tol=1e-6) for row in answer if row.id >= 99)


def test_the_sign_of_zero_is_that_of_the_first_zero(ask: Ask) -> None:
    answer = ask(
        """SELECT i, min(x) OVER w, max(x) OVER w, first(x) OVER w, max_by(x, x) OVER w
           FROM VALUES (1, 0D), (2, -0D), (3, 0D), (4, -0D), (5, -0D) AS t(i, x)
           WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) ORDER BY i"""
    )
    assert len(answer) == 5


def test_sums_of_decimals_are_exact(ask: Ask) -> None:
    answer = ask(
        """SELECT id, sum(x) OVER w, avg(x) OVER w, max(x) OVER w
           FROM (SELECT id, cast(id AS decimal(38, 10)) / 7 AS x FROM range(200))
           WINDOW w AS (ORDER BY id ROWS BETWEEN 17 PRECEDING AND 3 FOLLOWING) ORDER BY id"""
    )
    assert len(answer) == 200


@pytest.mark.parametrize("accuracy", [20, 10000])
def test_approximate_percentiles_around_nan(ask: Ask, accuracy: int) -> None:
    answer = ask(
        f"""SELECT id, percentile_approx(x, 0.5, {accuracy}) OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW)
        FROM (SELECT id, CASE id % 4 WHEN 0 THEN double('NaN') WHEN 1 THEN double('-Infinity')
                                     WHEN 2 THEN double('Infinity') ELSE 3D END AS x FROM range(60))"""
    )
    assert len(answer) == 60


@pytest.mark.parametrize("ties", ["id % 4", "1"])
def test_the_best_k_among_ties(ask: Ask, ties: str) -> None:
    window = "OVER (PARTITION BY id % 3 ORDER BY id ROWS BETWEEN 12 PRECEDING AND 3 FOLLOWING)"
    answer = ask(f"SELECT id, max_by(id, {ties}, 3) {window}, min_by(id, {ties}, 2) {window} FROM range(300)")
    assert len(answer) == 300
