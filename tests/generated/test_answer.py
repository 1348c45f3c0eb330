"""What the comparison of answers takes for the same, and what not."""

from __future__ import annotations

import math
from typing import Any

import pytest

from generated.answer import Rows, difference, same
from generated.call import Compare
from generated.query import Case

SAME = [
    (Compare.EXACT, math.nan, math.nan),
    (Compare.EXACT, None, None),
    (Compare.EXACT, [1, None], [1, None]),
    (Compare.SET, [1, 2], [2, 1]),
    (Compare.CLOSE, 1.0, 1.0 + 1e-12),
    (Compare.CLOSE, math.inf, math.inf),
    (Compare.CLOSE, 0.0, 1e-10),
    (Compare.ROOT, 0.0, 1e-5),
]
DIFFERENT = [
    (Compare.EXACT, 0.0, -0.0),
    (Compare.EXACT, 1.0, 1.0 + 1e-12),
    (Compare.EXACT, None, 0),
    (Compare.EXACT, [1, 2], [2, 1]),
    (Compare.EXACT, [1], [1, 1]),
    (Compare.SET, [1, 1], [1, 2]),
    (Compare.CLOSE, 1.0, 1.0 + 1e-8),
    (Compare.CLOSE, math.nan, 1.0),
    (Compare.CLOSE, math.inf, -math.inf),
    (Compare.CLOSE, 1e300, math.inf),
]


def _case(compare: Compare) -> Case:
    return Case("f(x)", None, compare, 1e-9, True)


@pytest.mark.parametrize(("compare", "a", "b"), SAME)
def test_same(compare: Compare, a: Any, b: Any) -> None:
    assert same(a, b, _case(compare))


@pytest.mark.parametrize(("compare", "a", "b"), DIFFERENT)
def test_different(compare: Compare, a: Any, b: Any) -> None:
    assert not same(a, b, _case(compare))


def test_a_difference_names_the_expression_and_the_row() -> None:
    cases = [_case(Compare.EXACT), _case(Compare.EXACT)]
    found = difference(cases, Rows({1: (1, 2), 2: (1, 2)}), Rows({1: (1, 2), 2: (1, 3)}))
    assert found is not None
    assert "f(x)" in found
    assert "id 2: 2 <> 3" in found


def test_a_missing_row_is_a_difference() -> None:
    assert difference([], Rows({1: ()}), Rows({})) is not None
