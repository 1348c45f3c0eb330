"""Writes functions.md from what the functions say of themselves to DESCRIBE FUNCTION EXTENDED: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from functions.registry import Description, descriptions, examples  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

PAGE = ROOT / "docs" / "functions.md"

HEAD = """# SQL functions

<!-- Written by `make docs` from the functions' own descriptions; a test compares it with them. -->

What the papers' operators are in SQL, where Spark has no function for them. They stand wherever an aggregate
may: in `OVER (…)`, where Slidewise runs them at a constant number of merges a row, in `GROUP BY`, `ROLLUP`
and `PIVOT`, with `FILTER`, with `DISTINCT` if their order is not asked for, and in streaming aggregation.
With `spark.slidewise.enabled` off, Spark's own operators give the same answers; for functions that promise an
answer within an error, one within it.

From Python, `import slidewise.functions as sw`; from Scala and Java, `org.slidewise.spark.functions`. Each
function has a file of runnable SQL in [sql/functions](../sql/functions), and `DESCRIBE FUNCTION EXTENDED`
says what this page does.

Functions whose answer depends on the order of the rows are marked *ordered*. Over a window with `ORDER BY` they
keep a state of constant size. Partial aggregates of a `GROUP BY` come in any order and may interleave, so that no
such state could be merged to the right answer: there they are refused with the condition
`SLIDEWISE_ORDER_REQUIRED`, unless the call says the order, `ewma(x, 0.1) WITHIN GROUP (ORDER BY t)`. Then the
group's rows are kept, in memory, as Spark's `listagg` and `collect_list` keep them, and put in order at the
end. Rows that tie go by the function's arguments, the least first, so that any partitioning gives the same
answer; rows in which the ORDER BY keys and the arguments are all null are left out. Functions of time,
`rate`, `increase` and `time_weighted_avg`, need an order in which it ascends: by the time itself descending they
are refused with the condition `SLIDEWISE_ASCENDING_ORDER_REQUIRED`. In Python the order is the argument `order_by`
of the helper.

Arguments may be given by name: `top_k(x => price, k => 3)`.

Nulls are skipped; of nothing but nulls the answer is null, or 0 for a count. Constant arguments are checked
when the query is analysed; a value in a row that a function cannot take is an error with the condition
`SLIDEWISE_INVALID_ARGUMENT`. Where a session was switched on by `slidewise.install`, an order that is missing
is found when the query is planned.

"""


def page(spark: SparkSession) -> str:
    """The whole page."""
    functions = descriptions(spark)
    rows = [f"| [`{f.name}`](#{f.name}) | {_summary(f)} | {'*ordered*' if _ordered(f) else ''} |" for f in functions]
    table = "\n".join(["| function | | |", "|---|---|---|", *rows])
    return HEAD + table + "\n" + "".join(_section(f) for f in functions)


def _summary(function: Description) -> str:
    return function.usage.split(" - ", 1)[1]


def _ordered(function: Description) -> bool:
    return "depends on the order of the rows" in " ".join(function.note.split())


def _section(function: Description) -> str:
    call, summary = function.usage.split(" - ", 1)
    arguments = [" ".join(a.split()) for a in function.arguments.split("Arguments:")[1].split("\n      * ")[1:]]
    parts = [f"\n## {function.name}\n\n`{call}`\n\n{summary}\n\n"]
    parts += [f"- `{name}`: {said}\n" for name, said in (a.split(" - ", 1) for a in arguments)]
    if function.note:
        parts.append(f"\n{' '.join(function.note.split())}\n")
    parts.append("\n```sql\n")
    for example in examples(function):
        parts.append(f"{example.sql};\n" + "".join(f"-- {line}\n" for line in example.expected))
    parts.append(f"```\n\nSince {function.since}.\n")
    return "".join(parts)


def main() -> None:
    """Writes the page."""
    from session import with_slidewise

    spark = with_slidewise(SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")).getOrCreate()
    PAGE.write_text(page(spark), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
