"""The sample of cases that `make test` runs."""

from __future__ import annotations

import pytest
from sampling import mark_long


class Case:
    """As much of a pytest item as the sampling reads."""

    def __init__(self, nodeid: str, *marks: str) -> None:
        self.nodeid = nodeid
        self.marks = set(marks)

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks.add(mark.name)


def sample(minor: int, *cases: Case) -> list[str]:
    mark_long(list(cases), minor)
    return [case.nodeid for case in cases if "long" not in case.marks]


def test_the_minors_share_the_cases_of_a_test():
    ids = [f"a.py::test[{i}]" for i in range(400)]
    samples = {minor: sample(minor, *map(Case, ids)) for minor in (5, 0, 1, 2, 3)}
    assert {case for chosen in samples.values() for case in chosen} == set(ids)
    assert all(50 < len(chosen) < 150 for chosen in samples.values())
    assert samples[5] == samples[1]
    assert not set(samples[0]) & set(samples[1])


@pytest.mark.parametrize("minor", range(6))
def test_each_test_keeps_a_case(minor):
    assert sample(minor, Case("a.py::alone")) == ["a.py::alone"]
    assert sample(minor, Case("a.py::two[x]"), Case("a.py::two[y]"), Case("b.py::two[x]"))[-1] == "b.py::two[x]"
    assert sample(minor, Case("a.py::two[x]"), Case("a.py::two[y]"))
    assert sample(minor, Case("a.py::one[x]"), Case("a.py::one[y]", "long")) == ["a.py::one[x]"]
