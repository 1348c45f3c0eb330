"""A random query that aggregates the rows of one table for each row of another."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from joins.functions import FUNCTIONS, Function, Row
from joins.values import KEYS, TIMES, WIDER, TimeKind, rank

Rows = dict[int, tuple[Any, ...]]


@dataclass(frozen=True)
class Table:
    columns: dict[str, str]
    rows: list[Row]


@dataclass(frozen=True)
class Bound:
    operator: str
    of: Callable[[Row], Any]
    condition: str
    """In SQL."""

    def holds(self, row: Row, time: Any) -> bool:
        bound = self.of(row)
        if bound is None or time is None:
            return False
        a, b = rank(time), rank(bound)
        return {">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b}[self.operator]


@dataclass(frozen=True)
class JoinQuery:
    left: Table
    right: Table
    keys: list[bool]
    """Whether each is null-safe."""
    windows: list[list[Bound]]
    columns: list[list[Function]]
    """The functions of each window; of none, those of the newest or the oldest row."""
    form: str
    wrapper: str
    filtered: bool
    newest: bool
    widens: bool
    storage: str
    settings: dict[str, str]

    @property
    def as_of(self) -> bool:
        return self.form.startswith("as of")

    @property
    def grouped(self) -> bool:
        return self.form.startswith("grouped")

    def sql(self, of: Callable[[Function], str | None]) -> str:
        if self.grouped:
            return self._groups(of)
        names, selected, lateral, where = [], [], [], ""
        for i, (bounds, functions) in enumerate(zip(self.windows, self.columns, strict=True)):
            condition = self._condition(bounds)
            if self.as_of:
                names.append(f"c{i}")
                order = f"ORDER BY e.t{' DESC' if self.newest else ''} LIMIT 1"
                subquery = f"SELECT e.t AS c{i} FROM e WHERE {condition} {order}"
            else:
                called = [f"{of(f)} AS c{i}_{n}" for n, f in enumerate(functions)]
                names += [f"c{i}_{n}" for n in range(len(functions))]
                subquery = f"SELECT {', '.join(called)} FROM e WHERE {condition}"
            if self.form in ("scalar", "as of, scalar"):
                subqueries = (
                    [f"({subquery}) AS c{i}"]
                    if self.as_of
                    else [f"(SELECT {of(f)} FROM e WHERE {condition}) AS c{i}_{n}" for n, f in enumerate(functions)]
                )
                selected += subqueries
            elif self.form == "where":
                where = f" WHERE (SELECT count(*) FROM e WHERE {condition}) > 1"
                selected += [f"NULL AS {name}" for name in names]
            elif self.form.endswith("left"):
                lateral.append(f" LEFT JOIN LATERAL ({subquery}) f{i} ON true")
            else:
                join = "," if i == 0 and self.newest else " JOIN"
                lateral.append(f"{join} LATERAL ({subquery}) f{i}{'' if join == ',' else ' ON true'}")
        selected = selected or names
        return self._wrapped(f"SELECT {', '.join(['l.id', *selected])} FROM l{''.join(lateral)}{where}", names)

    def _groups(self, of: Callable[[Function], str | None]) -> str:
        """Left rows of a group are equal but for their `id`."""
        names = [f"c0_{n}" for n in range(len(self.columns[0]))]
        called = [f"{of(f)} AS {name}" for f, name in zip(self.columns[0], names, strict=True)]
        join = "LEFT JOIN" if self.form == "grouped, left" else "JOIN"
        of_left = ", ".join(f"l.{column}" for column in self.left.columns if column != "id")
        joined = f"l {join} e ON {self._condition(self.windows[0])}"
        return self._wrapped(f"SELECT l.g AS id, {', '.join(called)} FROM {joined} GROUP BY {of_left}", names)

    def _condition(self, bounds: Sequence[Bound]) -> str:
        keys = [f"e.k{i} {'<=>' if safe else '='} l.k{i}" for i, safe in enumerate(self.keys)]
        own = ["e.f < 3"] if self.filtered else []
        return " AND ".join([*keys, *(b.condition for b in bounds), *own])

    def _wrapped(self, query: str, names: Sequence[str]) -> str:
        columns = ", ".join(["id", *names])
        if self.wrapper == "twice":
            halves = " UNION ALL ".join(f"SELECT {columns} FROM q WHERE id % 2 = {i}" for i in range(2))
            return f"WITH q AS ({query}) {halves}"
        if self.wrapper == "joined":
            own = ", ".join(f"b.{name}" for name in names)
            return f"WITH q AS ({query}) SELECT a.id, {own} FROM q AS a JOIN q AS b ON a.id = b.id"
        if self.wrapper == "filtered":
            return f"SELECT {columns} FROM ({query}) AS q WHERE id % 3 <> 1"
        if self.wrapper == "pruned":
            return f"SELECT id, {names[-1]} FROM ({query}) AS q"
        return query

    @property
    def in_duckdb(self) -> str | None:
        if self.settings["spark.sql.session.timeZone"] != "UTC":
            return None
        if not all(f.duckdb for functions in self.columns for f in functions):
            return None
        if "struct" in str(self.left.columns):
            return None
        return self.sql(lambda f: f.duckdb).replace("<=>", "IS NOT DISTINCT FROM")

    @property
    def in_spark(self) -> str:
        return self.sql(lambda f: f.spark)

    def by_brute_force(self) -> tuple[Rows, list[Function | None]] | None:
        """The rows, and the function of each column. None in time zones whose offset changes."""
        if self.settings["spark.sql.session.timeZone"] != "UTC":
            return None
        answer: Rows = {}
        for row in self.left.rows:
            if self.wrapper == "filtered" and row["g" if self.grouped else "id"] % 3 == 1:
                continue
            found = [self._frame(row, bounds) for bounds in self.windows]
            if self.grouped:
                joined = found[0] or ([dict.fromkeys(self.right.columns)] if self.form == "grouped, left" else [])
                times = sum(other["g"] == row["g"] for other in self.left.rows)
                if joined:
                    answer[row["g"]] = self._values([joined * times])
                continue
            if (self.form == "where" and len(found[0]) < 2) or (self.form == "as of, inner" and not all(found)):
                continue
            answer[row["id"]] = self._values(found)
        functions = [f for of in self.columns for f in of] if not self.as_of else [None] * len(self.windows)
        return answer, functions[-1:] if self.wrapper == "pruned" else functions

    def _values(self, frames: Sequence[Sequence[Row]]) -> tuple[Any, ...]:
        if self.form == "where":
            values: list[Any] = [None for functions in self.columns for _ in functions]
        elif self.as_of:
            ends = [sorted((e["t"] for e in frame), key=rank) for frame in frames]
            values = [(end[-1] if self.newest else end[0]) if end else None for end in ends]
        else:
            values = [
                f.python(rows) if f.python else ... for rows, of in zip(frames, self.columns, strict=True) for f in of
            ]
        return tuple(values[-1:] if self.wrapper == "pruned" else values)

    def _frame(self, row: Row, bounds: Sequence[Bound]) -> list[Row]:
        return [
            e
            for e in self.right.rows
            if all(_equal(row[f"k{i}"], e[f"k{i}"], safe) for i, safe in enumerate(self.keys))
            and all(bound.holds(row, e["t"]) for bound in bounds)
            and (not self.filtered or e["f"] < 3)
        ]


def _equal(a: Any, b: Any, null_safe: bool) -> bool:
    return a is b and null_safe if a is None or b is None else bool(rank(a) == rank(b))


def random_join_query(seed: int, index: int) -> JoinQuery:
    rng = random.Random(f"{seed}/{index}/join")
    keys = [rng.choice(list(KEYS)) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
    kind = rng.choice(list(TIMES))
    form = rng.choice(
        [
            *("left", "left", "inner", "scalar", "scalar", "where", "as of, left", "as of, inner", "as of, scalar"),
            *("grouped, left", "grouped, inner"),
        ]
    )
    chosen = _settings(rng)
    # Whole numbers that wrap around have no least one from which on a condition holds.
    solves = kind.startswith("timestamp") or chosen["spark.sql.ansi.enabled"] == "true"
    windows = (
        1 if form == "where" or form.startswith("grouped") else rng.choice([1, 1, 2, 3] if form == "left" else [1, 2])
    )
    most = {"where": 1, "scalar": 2}.get(form, 4)  # Spark plans a join for each scalar subquery.
    left = _left(rng, keys, kind)
    return JoinQuery(
        left,
        _right(rng, keys, kind),
        [rng.random() < 0.3 for _ in keys],
        [_bounds(rng, TIMES[kind], solves) for _ in range(windows)],
        [[] if form.startswith("as of") else rng.sample(FUNCTIONS, rng.randint(1, most)) for _ in range(windows)],
        form,
        rng.choice(["plain", "plain", "twice", "joined", "filtered", "pruned"]),
        rng.random() < 0.3,
        rng.random() < 0.6,
        # A bound on the time itself compares it as the wider type of the left table; on a sum, as its own.
        TIMES[kind].widens or left.columns["t"] != kind,
        rng.choice(["local", "local", "local", "cached", "files"]),
        chosen,
    )


def _settings(rng: random.Random) -> dict[str, str]:
    return {
        "spark.sql.session.timeZone": rng.choice(["UTC", "UTC", "UTC", "America/New_York", "Australia/Lord_Howe"]),
        "spark.sql.ansi.enabled": rng.choice(["true", "true", "false"]),
        "spark.sql.adaptive.enabled": rng.choice(["true", "false"]),
        "spark.sql.shuffle.partitions": rng.choice(["1", "2", "3", "8"]),
        "spark.sql.codegen.wholeStage": rng.choice(["true", "true", "false"]),
        "spark.sql.codegen.factoryMode": rng.choice(["FALLBACK", "FALLBACK", "NO_CODEGEN"]),
        "spark.slidewise.sort.enabled": rng.choice(["true", "true", "false"]),
        "spark.slidewise.state.maxSize": rng.choice(["16m", "16m", "64k"]),
        "spark.slidewise.windowJoins.filterRatio": rng.choice(["10", "0"]),
        # From 1 on, several tasks share the rows of few keys, too.
        "spark.slidewise.parallel.minRows": rng.choice(["1", "2", "500000"]),
        "spark.slidewise.parallel.skewedKeys": rng.choice(["detected", "expected"]),
    }


def _bounds(rng: random.Random, kind: TimeKind, solves: bool) -> list[Bound]:
    def bound(operators: Sequence[str], column: str) -> Bound:
        operator = rng.choice(operators)
        if column == "t" and kind.moved and rng.random() < 0.8:
            moved = kind.moved(rng)

            def of(row: Row) -> Any:
                return None if row["t"] is None else moved.move(row["t"])

            if moved.back and solves and rng.random() < 0.4:
                return Bound(operator, of, f"e.t{moved.back} {operator} l.t")
            return Bound(operator, of, f"e.t {operator} l.t{moved.sql}")
        return Bound(operator, lambda row: row[column], f"e.t {operator} l.{column}")

    lower, upper = rng.choice([("t", "t"), ("t", "t"), ("lo", "hi"), ("t", "hi")])
    bounds = [bound([">", ">="], lower), bound(["<", "<="], upper)]
    return rng.choice([bounds, bounds, bounds[:1], bounds[1:]])


def _or_null(rng: random.Random, share: float, draw: Callable[[], Any]) -> Any:
    return None if rng.random() < share else draw()


def _left(rng: random.Random, keys: list[str], kind: str) -> Table:
    own = kind if rng.random() < 0.8 else WIDER.get(kind, kind)
    times = dict.fromkeys(("t", "lo", "hi"), own)
    names = {"id": "int", "g": "int"} | {f"k{i}": key for i, key in enumerate(keys)} | times
    nulls, skew, twins = rng.choice([0.0, 0.1, 0.4]), rng.random() < 0.3, rng.choice([0.0, 0.3])

    def row(number: int) -> Row:
        of_keys = [_or_null(rng, nulls, lambda key=key: _key(rng, key, skew)) for key in keys]
        times = [_or_null(rng, nulls, lambda: TIMES[kind].of(rng.randrange(50))) for _ in range(3)]
        return dict(zip(names, [number, number, *of_keys, *times], strict=True))

    rows: list[Row] = []
    for number in range(rng.choice([0, 1, 12, 40, 40, 120])):
        rows.append({**rows[-1], "id": number} if rows and rng.random() < twins else row(number))
    rng.shuffle(rows)
    return Table(names, rows)


def _key(rng: random.Random, kind: str, skew: bool) -> Any:
    return KEYS[kind][0] if skew and rng.random() < 0.8 else rng.choice(KEYS[kind])


def _right(rng: random.Random, keys: list[str], kind: str) -> Table:
    own = {"t": kind, "v": "bigint", "w": "double", "d": "decimal(9,2)", "s": "string", "day": "date", "f": "int"}
    names = {"id": "int"} | {f"k{i}": key for i, key in enumerate(keys)} | own
    nulls, skew = rng.choice([0.0, 0.1, 0.4]), rng.random() < 0.3
    special = [float("nan"), float("inf"), -0.0, 0.0] if rng.random() < 0.3 else [2.5]

    def row(number: int) -> Row:
        of_keys = [_or_null(rng, nulls, lambda key=key: _key(rng, key, skew)) for key in keys]
        values = [
            lambda: TIMES[kind].of(rng.randrange(50)),
            lambda: rng.randint(-4, 9),
            lambda: rng.choice(special) if rng.random() < 0.3 else rng.randint(-8, 8) / 4,
            lambda: Decimal(rng.randint(-500, 500)) / 100,
            lambda: rng.choice(["", "a", "b", "é", "Ω", "zz"]),
            lambda: dt.date(2024, 1, 1) + dt.timedelta(days=rng.randrange(9)),
        ]
        drawn = [_or_null(rng, nulls, draw) for draw in values]
        return dict(zip(names, [number, *of_keys, *drawn, rng.randrange(5)], strict=True))

    return Table(names, [row(number) for number in range(rng.choice([0, 1, 20, 80, 80, 200]))])
