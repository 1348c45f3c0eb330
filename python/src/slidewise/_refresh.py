"""Brings a stored result up to date after its input has changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slidewise._features import require_classic
from slidewise._install import call

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PLAN_SCHEMA = (
    "whole boolean, keys bigint, first string, last string, rows_to_read bigint, rows_to_write bigint, share double, "
    "reason string"
)


_CONFLICT = "[SLIDEWISE_REFRESH_CONFLICT]"


class RefreshConflictError(RuntimeError):
    """Another writer changed the target during a refresh, which has changed nothing."""


@dataclass(frozen=True)
class Refreshed:
    """What a refresh has written."""

    whole: bool
    """Whether the whole query was computed, and all rows replaced. The counts are then 0."""

    inserted: int
    """Number of rows that the target did not have."""

    updated: int
    """Number of rows whose values differed."""

    deleted: int
    """Number of rows that are no longer in the result."""


class Refresh:
    """A refresh that has not run: `slidewise.explain` shows what it will read and write, and `run` carries it out.

    The arguments, and the errors that they raise, are those of [slidewise.refresh].
    """

    def __init__(
        self,
        query: DataFrame,
        target: str,
        *,
        keys: str | Sequence[str],
        changes: DataFrame | Mapping[str, DataFrame],
        generated: Mapping[str, str] | Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        _check(query, target, keys, changes)
        columns = [keys] if isinstance(keys, str) else list(keys)
        of_tables = changes if isinstance(changes, Mapping) else {"": changes}
        known = _generated(generated, list(of_tables))
        self._spark: Any = query.sparkSession
        self._refresh: Any = call(
            self._spark,
            "refreshOf",
            query._jdf,
            target,
            _java_list(self._spark, columns),
            _java_map(self._spark, {name: table._jdf for name, table in of_tables.items()}),
            _java_map(self._spark, {name: _java_map(self._spark, of_table) for name, of_table in known.items()}),
        )

    def run(self) -> Refreshed:
        """Refreshes the target, in one transaction."""
        from py4j.protocol import Py4JJavaError

        try:
            return Refreshed(**json.loads(self._refresh.run().json()))
        except Py4JJavaError as error:
            if _CONFLICT in str(error.java_exception.getMessage()):
                raise RefreshConflictError(error.java_exception.getMessage()) from error
            raise

    def plan(self) -> DataFrame:
        """What the refresh will read and write, in one row: see [slidewise.explain]."""
        plan = json.loads(self._refresh.plan().json())
        names = [column.split()[0] for column in _PLAN_SCHEMA.split(", ")]
        table: DataFrame = self._spark.createDataFrame([tuple(plan[name] for name in names)], _PLAN_SCHEMA)
        return table


def refresh(
    query: DataFrame,
    target: str,
    *,
    keys: str | Sequence[str],
    changes: DataFrame | Mapping[str, DataFrame],
    generated: Mapping[str, str] | Mapping[str, Mapping[str, str]] | None = None,
) -> Refreshed:
    """Brings the stored result of a query up to date after rows of tables that it reads have changed.

    `target` holds the rows of `query` as they were before the change. Slidewise computes the results again that changed
    rows can reach through the frames of the windows, and writes those that differ.

    - `query`: window functions, or `GROUP BY` with or without `window()`, over a table, a filter or projection of it,
      or a join of tables. It reads the tables **as they are now**, after the change.
    - `target`: a table of Delta Lake, Iceberg or another format that takes `MERGE`, or files in partitions, such as
      a Parquet table. It has the columns of the query. A path is written as in ``delta.`/path` ``.
    - `keys`: the columns of the result that identify a row.
    - `changes`: the changed rows of the table: those that were added or removed, and both the old and the new values
      of those that were updated. If the query reads several tables, a dictionary with the name of each that has
      changed, as in ``{"payments": new_payments, "cards": new_cards}``.
    - `generated`: columns of the changed table that in each row have the value of an SQL expression over others, such
      as ``{"day": "CAST(ts AS DATE)"}``. If the table has partitions by such a column, only those that the order key
      leads to are read. A changed row with another value raises an error; other rows are not checked. For several
      tables, a dictionary from their names: ``{"events": {"day": "CAST(ts AS DATE)"}}``.

    The result equals that of the whole query, floating-point values up to the order of additions. A refresh that fails
    changes nothing, and a second one with the same changes writes nothing. If two run at once, one of them raises an
    error. Where the results of all rows may change, or more than `spark.slidewise.refresh.maxShare` of the table would
    be read, the whole query is computed and all rows are replaced.

    >>> import slidewise, tempfile
    >>> from pyspark.sql import SparkSession
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> folder = tempfile.mkdtemp()
    >>> def payments(days):
    ...     return spark.sql(f"SELECT 'a' AS card, DATE'2026-01-01' + CAST(id AS INT) AS day, id AS amount FROM {days}")
    >>> query = '''SELECT card, day, sum(amount) OVER
    ...     (PARTITION BY card ORDER BY day RANGE BETWEEN INTERVAL 6 DAYS PRECEDING AND CURRENT ROW) AS week
    ...     FROM payments'''
    >>> payments("range(30)").createOrReplaceTempView("payments")
    >>> spark.sql(query).write.partitionBy("day").parquet(f"{folder}/weeks")
    >>> payments("range(31)").createOrReplaceTempView("payments")  # one more day
    >>> slidewise.refresh(spark.sql(query), f"parquet.`{folder}/weeks`", keys=["card", "day"],
    ...     changes=payments("range(30, 31)"))
    Refreshed(whole=False, inserted=1, updated=0, deleted=0)

    Raises TypeError or ValueError if an argument is wrong, and AnalysisException with the condition
    SLIDEWISE_REFRESH_REFUSED if a refresh cannot follow changes through the query, or cannot write to the target:
    before anything is written. Needs a session of Spark's own engine: Spark Connect is refused.
    """
    return Refresh(query, target, keys=keys, changes=changes, generated=generated).run()


def changes_since(spark: SparkSession, table: str, version: int) -> DataFrame:
    """The rows of a table that have changed since a version of it, for [slidewise.refresh].

    They are those that were added or removed, and both the old and the new values of those that were updated.

    - `table`: a table of Delta Lake with `delta.enableChangeDataFeed`, or of Iceberg.
    - `version`: the version of the Delta table, or the snapshot of the Iceberg table, that the stored result was
      computed from.

    Raises AnalysisException with the condition SLIDEWISE_REFRESH_REFUSED if the table has no such version or does not
    tell its changes.
    """
    from pyspark.sql import DataFrame

    require_classic(spark, "slidewise.changes_since")
    if not isinstance(version, int) or isinstance(version, bool):
        raise TypeError(f"version is {version!r:.200}, but must be a number: a version or a snapshot of {table}")
    java: Any = call(spark, "changesSince", spark._jsparkSession, table, version)
    return DataFrame(java, spark)


def _check(query: Any, target: Any, keys: Any, changes: Any) -> None:
    # Imports pyspark.sql, which `import slidewise` must do without.
    from slidewise._spark_objects import check_is_a

    check_is_a("DataFrame", "query", query)
    require_classic(query, "slidewise.refresh")
    if not isinstance(target, str) or not target:
        raise TypeError(f"target is {target!r:.200}, but must be the name of a table, or a path as in delta.`/path`")
    names = [keys] if isinstance(keys, str) else keys
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) and name for name in names):
        raise TypeError(f"keys is {keys!r:.200}, but must be the name of a column, or a list of at least one name")
    if isinstance(changes, Mapping):
        if not changes or not all(isinstance(name, str) and name for name in changes):
            raise ValueError(
                f"changes has the keys {list(changes)!r:.200}, but must have the name of each changed table"
            )
        for name, rows in changes.items():
            check_is_a("DataFrame", f"changes[{name!r}]", rows)
    else:
        check_is_a("DataFrame", "changes", changes)


def _generated(generated: Any, changed: list[str]) -> dict[str, Mapping[str, str]]:
    """The expressions of generated columns by their table: the only one that has changed if there is no name."""
    if generated is None:
        return {}
    allowed = "a dictionary from columns to SQL expressions, or from tables to such dictionaries"
    if not isinstance(generated, Mapping):
        raise TypeError(f"generated is {generated!r:.200}, but must be {allowed}")
    of_tables = all(isinstance(value, Mapping) for value in generated.values())
    if not of_tables and len(changed) > 1:
        raise ValueError(f"generated is {generated!r:.200}, but must have the names of tables, as {changed!r:.200}")
    found = dict(generated) if of_tables else {changed[0]: generated}
    for table, columns in found.items():
        for name, sql in columns.items():
            if not all(isinstance(text, str) and text for text in (name, sql)) or not isinstance(table, str):
                raise TypeError(f"generated has {name!r:.100}: {sql!r:.100}, but must be {allowed}")
    return found


def _java_list(spark: Any, values: list[str]) -> Any:
    found = spark._jvm.java.util.ArrayList()
    for value in values:
        found.add(value)
    return found


def _java_map(spark: Any, values: Mapping[str, Any]) -> Any:
    found = spark._jvm.java.util.HashMap()
    for name, value in values.items():
        found.put(name, value)
    return found
