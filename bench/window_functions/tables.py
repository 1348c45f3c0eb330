"""Tables of many shapes: how many rows a key has, how wide rows are, how keys and orders look, how rows are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Table:
    """A table of the columns `k`, `ts` and `x`, and how a window cuts and orders it."""

    name: str
    key: str = "pmod(hash(id), 8)"
    """The partition key `k`, as an expression over `id`; rows come in no order of it."""
    ts: str = "ts"
    """The order column, as an expression over `ts`, a different number in each row."""
    more: tuple[str, ...] = ()
    """Further columns, as expressions over `id`."""
    partition_by: str = "k"
    buckets: int = 0
    """Into how many buckets of sorted rows it is stored; 0 for a plain file."""
    rows: int | None = None
    """How many rows it has, if not as many as the others."""
    settings: Mapping[str, str] = field(default_factory=dict)
    turns: int = 1
    """Multiplies the number of turns, for short queries whose times vary."""
    order_by: str = "ts"

    @property
    def identifier(self) -> str:
        return "t" + "".join(c for c in self.name if c.isalnum())

    @property
    def partition(self) -> str:
        return f"PARTITION BY {self.partition_by}" if self.partition_by else ""

    @property
    def ordering(self) -> str:
        return f"ORDER BY {self.order_by}"


_STRINGS = tuple(f"concat('value {i} ', hash(id, {i})) AS s{i}" for i in range(13))
_NUMBERS = tuple(f"hash(id, {i}) / 7 AS d{i}" for i in range(13))

TABLES = [
    Table("8 keys"),
    Table("8 keys, adaptive execution off", settings={"spark.sql.adaptive.enabled": "false"}),
    Table("one key", key="0"),
    Table("no partition keys", partition_by=""),
    Table("as many keys as rows", key="id"),
    Table("10 rows a key", key="id * 7919 % (n div 10)"),
    Table("30 columns, 13 of them strings", more=(*_STRINGS, *_NUMBERS)),
    Table("arrays of 10 numbers", more=("transform(sequence(1, 10), i -> i * id) AS numbers",)),
    Table("keys of 100 characters", key="concat(repeat('key', 30), lpad(pmod(hash(id), 1000), 10, '0'))"),
    Table("a string as order", ts="concat('order ', lpad(ts, 12, '0'))"),
    Table("two order columns", more=("ts div 1000 AS day",), order_by="day DESC, ts"),
    Table("stored in buckets of sorted rows", buckets=8),
    Table("1,000 rows", rows=1_000, turns=8),
]


def write(session: Any, table: Table, rows: int) -> None:
    """Stores the table in Parquet, in the session's warehouse."""
    n = table.rows or rows
    # Sums of x are exact, so that no order of addition changes them.
    source = f"SELECT id, {n} AS n, id * 7919 % {n} AS ts, hash(id, 5) / 1024 AS x FROM range(0, {n}, 1, 2)"
    columns = ", ".join((f"{table.key} AS k", f"{table.ts} AS ts", "x", *table.more))
    made = session.sql(f"SELECT {columns} FROM ({source})")
    if table.buckets:
        by_bucket = made.repartition(table.buckets, "k").write
        by_bucket.bucketBy(table.buckets, "k").sortBy("k", "ts").saveAsTable(table.identifier)
    else:
        made.write.saveAsTable(table.identifier)
