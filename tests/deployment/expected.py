"""What program.py prints with Slidewise on, calculated without Spark."""

from __future__ import annotations


def _answer() -> tuple[int, int]:
    sums = firsts = 0
    for key in range(7):
        ids = list(range(key, 2000, 7))
        for i in range(len(ids)):
            frame = ids[max(0, i - 99) : i + 1]
            sums += sum(frame)
            firsts += frame[0]
    return sums, firsts


ANSWER = _answer()
REPORT = f"rows {[ANSWER]}, SlidingWindow 1"
