"""Random queries over the table `t` that a refresh maintains, each with the keys of its result."""

from __future__ import annotations

import random
from typing import NamedTuple

from sparks import SPARK

FUNCTIONS = (
    "sum(x)",
    "count(*)",
    "min(x)",
    "max(id)",
    "avg(x)",
    "count(DISTINCT j)",
    "median(x)",
    *(["sum(x) FILTER (WHERE j > 0)"] if SPARK >= (4, 2) else []),
)
# The row's own identifier ends ties, which would otherwise leave the answer open.
PLACES = (
    "row_number() OVER ({keys} ORDER BY {order}, id)",
    "rank() OVER ({keys} ORDER BY {order})",
    "lag(x) OVER ({keys} ORDER BY {order}, id)",
    "lead(id, 2) OVER ({keys} ORDER BY {order}, id)",
    "lag(x) IGNORE NULLS OVER ({keys} ORDER BY {order}, id)",
    "ntile(3) OVER ({keys} ORDER BY {order}, id)",
    "percent_rank() OVER ({keys} ORDER BY {order})",
    "first_value(id) OVER ({keys} ORDER BY {order}, id ROWS 2 PRECEDING)",
    "sum(x) OVER ({keys} ORDER BY {order}, id ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING)",
    "sum(x) OVER ({keys} ORDER BY {order}, id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)",
    "sum(x) OVER ({keys} ORDER BY {order})",
    "max(x) OVER ({keys})",
    "count(*) OVER ({keys} ORDER BY {order} RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
)
DISTANCES = {
    "ts": ("INTERVAL 10 MINUTES", "INTERVAL 2 HOURS", "INTERVAL 1 DAY", "INTERVAL 1 MONTH", "INTERVAL '1' DAY"),
    "d": ("1", "3" if SPARK < (4, 0) else "INTERVAL 3 DAYS", "INTERVAL 1 MONTH"),
    "n": ("5", "100", "3000"),
    "r": ("0.5", "40"),
    "m": ("0.25", "100"),
}
ORDERS = tuple(DISTANCES)


class Query(NamedTuple):
    sql: str
    keys: list[str]
    tables: tuple[str, ...] = ("t",)


def random_query(rng: random.Random) -> Query:
    kinds = [_over_rows, _chained, _ranked, _over_groups, _groups, _looked_up, _hopping, _joined, _over_two]
    return rng.choices(kinds, [6, 2, 2, 2, 1, 1, 2, 5, 4])[0](rng)


def _keys(rng: random.Random) -> str:
    return rng.choice(["PARTITION BY k", "PARTITION BY k", "PARTITION BY k, j", "PARTITION BY upper(k)", ""])


def _frame(rng: random.Random, order: str) -> str:
    distance = DISTANCES[order]
    lower = rng.choice([f"{rng.choice(distance)} PRECEDING", "UNBOUNDED PRECEDING", "CURRENT ROW"])
    if lower == "CURRENT ROW" or rng.random() < 0.3:
        # Both ends are intervals of one type.
        upper = rng.choice([d for d in distance if "INTERVAL" not in lower or _unit(d) == _unit(lower)])
        return f"RANGE BETWEEN {lower} AND {upper} FOLLOWING"
    return f"RANGE BETWEEN {lower} AND CURRENT ROW"


def _unit(distance: str) -> str:
    """`DAY` of `INTERVAL 3 DAYS` and of `INTERVAL 3 DAYS PRECEDING`; whole days are intervals as well."""
    return distance.split()[2].rstrip("S") if "INTERVAL" in distance else "DAY"


def _call(rng: random.Random, keys: str, order: str) -> str:
    direction = rng.choice(["", "", " DESC", " ASC NULLS LAST"])
    if rng.random() < 0.4:
        return rng.choice(PLACES).format(keys=keys, order=order + direction)
    return f"{rng.choice(FUNCTIONS)} OVER ({keys} ORDER BY {order}{direction} {_frame(rng, order)})"


def _source(rng: random.Random) -> str:
    return rng.choice(
        [
            "t",
            "t",
            "(SELECT * FROM t WHERE x % 5 <> 1 OR x IS NULL) AS f",
            "(SELECT t.*, s.g FROM t LEFT JOIN s ON t.j = s.j) AS joined",
            "(SELECT t.* FROM t JOIN s ON t.j = s.j WHERE s.g > 10) AS joined",
            "(SELECT * FROM t WHERE j NOT IN (SELECT j FROM s WHERE g = 15)) AS others",
        ]
    )


_COLUMNS = "id, id % 4 AS p, k, upper(k) AS upper_k, j, ts, d, n, r, m, day, y, mo, part"


def _over_rows(rng: random.Random) -> Query:
    order, source = rng.choice(ORDERS), _source(rng)
    keys = _keys(rng)
    calls = [_call(rng, keys if rng.random() < 0.8 else _keys(rng), order) for _ in range(rng.choice([1, 2, 3]))]
    named = ", ".join(f"{call} AS v{at}" for at, call in enumerate(calls))
    return Query(f"SELECT {_COLUMNS}, {named} FROM {source}", ["id"])


def _chained(rng: random.Random) -> Query:
    """A window over the results of another one."""
    order = rng.choice(["ts", "n"])
    first, second = f"PARTITION BY {rng.choice(['k', 'k, j'])}", "PARTITION BY k"
    return Query(
        f"""SELECT id, p, k, j, {order}, day, x AS v1, {_call(rng, second, order)} AS v2 FROM
            (SELECT id, id % 4 AS p, k, j, {order}, day, {_call(rng, first, order)} AS x FROM t)""",
        ["id"],
    )


def _ranked(rng: random.Random) -> Query:
    """Rows whose rank a filter limits, and a window over those."""
    order = rng.choice(["ts", "n DESC"])
    window = f"PARTITION BY k ORDER BY {order}, id"
    return Query(
        f"""SELECT id, p, k, {order.split()[0]}, count(*) OVER (PARTITION BY k ORDER BY {order.split()[0]}) AS v FROM
            (SELECT *, id % 4 AS p, row_number() OVER ({window}) AS place FROM t) WHERE place <= 3""",
        ["id"],
    )


def _over_groups(rng: random.Random) -> Query:
    """Windows over daily totals."""
    frame = f"RANGE BETWEEN {rng.choice(DISTANCES['d'])} PRECEDING AND CURRENT ROW"
    return Query(
        f"""WITH daily AS (SELECT k, j, d, sum(x) AS x, count(*) AS n FROM t GROUP BY k, j, d)
            SELECT k, j, d, n % 3 AS p, sum(x) OVER (PARTITION BY k, j ORDER BY d {frame}) AS v,
              count(*) OVER (PARTITION BY k ORDER BY d) AS c FROM daily""",
        ["k", "j", "d"],
    )


def _groups(rng: random.Random) -> Query:
    return rng.choice(
        [
            Query("SELECT k, d, count(*) AS c, sum(x) AS v, max(id) % 4 AS p FROM t GROUP BY k, d", ["k", "d"]),
            Query(
                """SELECT k, window(ts, '3 hours') AS w, max(x) AS v, count(*) % 2 AS p FROM t
                   GROUP BY k, window(ts, '3 hours')""",
                ["k", "w"],
            ),
            Query("SELECT DISTINCT k, d, j AS p FROM t", ["k", "d", "p"]),
            Query("SELECT id, k, ts, x + 1 AS v, id % 4 AS p FROM t WHERE j <> 1", ["id"]),
        ]
    )


def _looked_up(rng: random.Random) -> Query:
    """Windows over a table that only looks up rows of the changed one."""
    join = rng.choice(
        [
            "(SELECT s.*, t.x FROM s LEFT JOIN t ON t.id % 3 = s.j AND t.id < 3)",
            "(SELECT s.*, 1 AS x FROM s LEFT ANTI JOIN t ON t.j = s.j AND t.id % 7 = 3)",
            "(SELECT s.*, s.g AS x FROM s LEFT SEMI JOIN t ON t.j = s.j AND t.id % 5 = 3)",
        ]
    )
    return Query(f"SELECT j, g, j AS p, sum(x) OVER (PARTITION BY j % 2 ORDER BY g) AS v FROM {join}", ["j"])


def _hopping(rng: random.Random) -> Query:
    width = rng.choice(["'2 hours', '30 minutes'", "'1 day', '7 hours'", "'90 minutes', '1 hour', '10 minutes'"])
    start = rng.choice(["window.start AS start", "window AS start"])
    return Query(
        f"""SELECT k, {start}, count(*) AS c, sum(x) AS v, count(*) % 3 AS p, CAST(window.start AS DATE) AS day
            FROM {_source(rng)} GROUP BY k, window(ts, {width})""",
        ["k", "start"],
    )


def _over_two(rng: random.Random) -> Query:
    """Windows or groups over rows of two tables, or of one that is read twice."""
    source, tables = rng.choice(
        [
            ("(SELECT t.*, e.id AS other FROM t JOIN e ON t.k = e.k AND t.j = e.j AND e.id % 5 = 2)", ("t", "e")),
            ("(SELECT t.*, e.id AS other FROM t LEFT JOIN e ON t.k = e.k AND t.n <= e.n AND e.id % 9 = 2)", ("t", "e")),
            (
                "(SELECT t.*, e.id AS other FROM e RIGHT JOIN t ON t.id = e.id WHERE e.id IS NULL OR e.x > 0)",
                ("t", "e"),
            ),
            ("(SELECT t.*, 0 AS other FROM t LEFT ANTI JOIN e ON t.id = e.id AND e.x > 0)", ("t", "e")),
            ("(SELECT t.*, 0 AS other FROM t LEFT SEMI JOIN e ON e.k = t.k AND e.j < t.j AND e.x > 10)", ("t", "e")),
            ("(SELECT t.*, c AS other FROM t JOIN (SELECT k, count(*) AS c FROM e GROUP BY k) USING (k))", ("t", "e")),
            (
                """(SELECT t.*, coalesce(c, 0) AS other FROM t LEFT JOIN
                   (SELECT j, max(x) AS c FROM e GROUP BY j HAVING count(*) > 20) g ON t.j = g.j)""",
                ("t", "e"),
            ),
            ("(SELECT t.*, o.id AS other FROM t JOIN t AS o ON t.k = o.k AND t.id = o.id + 1)", ("t",)),
            (
                "(SELECT t.*, 0 AS other FROM t LEFT ANTI JOIN t AS o ON t.j = o.j AND t.n < o.n AND o.id % 11 = 4)",
                ("t",),
            ),
        ]
    )
    if rng.random() < 0.3:
        return Query(
            f"SELECT k, d, count(*) % 3 AS p, sum(x + other) AS v FROM {source} GROUP BY k, d", ["k", "d"], tables
        )
    order = rng.choice(ORDERS)
    calls = [_call(rng, rng.choice(["PARTITION BY k", "PARTITION BY other", "PARTITION BY k, other"]), order)]
    calls.append(_call(rng, "PARTITION BY k", order))
    named = ", ".join(f"{call.replace(', id)', ', id, other)')} AS v{at}" for at, call in enumerate(calls))
    return Query(f"SELECT {_COLUMNS}, other, {named} FROM {source}", ["id", "other"], tables)


def _joined(rng: random.Random) -> Query:
    """Windows of the rows of `e` around each row of `t`, and the newest of them."""
    kinds = [_grouped_join, _as_of] if SPARK < (4, 0) else [_lateral, _scalars, _grouped_join, _as_of]
    return Query(rng.choice(kinds)(rng), ["id"], ("t", "e"))


def _range(rng: random.Random) -> str:
    order = rng.choice(["ts", "ts", "n"])
    distance = rng.choice([d for d in DISTANCES[order] if "'" not in d])
    keys = rng.choice(["e.k = t.k AND ", "e.k = t.k AND ", "e.k = t.k AND e.j = t.j AND ", ""])
    end = rng.choice([f"e.{order} < t.{order}", f"e.{order} <= t.{order} + {distance}"])
    return f"{keys}e.{order} >= t.{order} - {distance} AND {end}"


_ROW = "t.id, t.id % 4 AS p, t.k, t.ts, t.day, t.x AS own"


def _lateral(rng: random.Random) -> str:
    source = rng.choice(["t", "t", "(SELECT * FROM t WHERE j > 0) AS t"])
    return f"""SELECT {_ROW}, v, c, most FROM {source} LEFT JOIN LATERAL
               (SELECT sum(e.x) AS v, count(*) AS c, max(e.id) AS most FROM e WHERE {_range(rng)}) AS f"""


def _scalars(rng: random.Random) -> str:
    subqueries = [
        f"(SELECT {rng.choice(['sum(e.x)', 'count(*)', 'min(e.id)'])} FROM e WHERE {_range(rng)}) AS v{at}"
        for at in range(rng.choice([1, 2]))
    ]
    return f"SELECT {_ROW}, {', '.join(subqueries)} FROM t"


def _grouped_join(rng: random.Random) -> str:
    kind = rng.choice(["LEFT", "INNER"])
    return f"""SELECT {_ROW}, sum(e.x) AS v, count(e.id) AS c FROM t {kind} JOIN e ON {_range(rng)}
               GROUP BY t.id, t.k, t.ts, t.day, t.x"""


def _as_of(rng: random.Random) -> str:
    end = rng.choice(["e.n <= t.n", "e.ts < t.ts"])
    return f"""SELECT {_ROW}, max_by(e.id, struct(e.ts, e.id)) AS newest FROM t LEFT JOIN e ON e.k = t.k AND {end}
               GROUP BY t.id, t.k, t.ts, t.day, t.x"""
