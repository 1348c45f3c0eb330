"""Writes the results of queries under OpenLineage's listener, with Slidewise on and off.

Arguments: a folder, and the listener's jar. Prints one JSON object: by query, whether Slidewise ran it, and with
Slidewise on and off what the events of its CREATE TABLE, INSERT INTO and INSERT OVERWRITE say.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import slidewise

NEAR = "e.k = l.k AND e.t > l.t - 500 AND e.t <= l.t"
QUERIES = {
    "window": """SELECT id, sum(t) OVER (PARTITION BY k ORDER BY t, id ROWS 9 PRECEDING) AS a,
        max_by(s, t) OVER (PARTITION BY k ORDER BY id) AS b FROM events""",
    "window without keys": "SELECT id, sum(t) OVER (ORDER BY t, id ROWS 9 PRECEDING) AS a FROM events",
    "top rows": """SELECT * FROM (SELECT id, s, row_number() OVER (PARTITION BY k ORDER BY t, id) AS a FROM events)
        WHERE a < 9""",
    "hopping": """SELECT k, count(*) AS a, max(s) AS b FROM events
        GROUP BY window(ts, '1 hour', '5 minutes'), k""",
    "window join": f"""SELECT l.id, f.* FROM asked l
        LEFT JOIN LATERAL (SELECT sum(e.t) AS a, max_by(e.s, e.id) AS b FROM events e WHERE {NEAR}) f ON true""",
    "grouped join": f"""SELECT l.id, l.k, l.t, sum(e.t) AS a FROM asked l LEFT JOIN events e ON {NEAR}
        GROUP BY l.id, l.k, l.t""",
    "as-of join": f"""SELECT l.id, (SELECT e.s FROM events e WHERE {NEAR} ORDER BY e.t DESC LIMIT 1) AS a
        FROM asked l""",
}
WRITES = ("CREATE TABLE result USING parquet AS", "INSERT INTO result", "INSERT OVERWRITE result")


def session(folder: str, jar: str) -> SparkSession:
    settings = {
        "spark.ui.enabled": "false",
        "spark.jars": jar,
        "spark.local.dir": f"{folder}/local",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.shuffle.partitions": "2",
        "spark.slidewise.parallel.minRows": "200",
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": f"{folder}/events",
        "spark.openlineage.namespace": "tests",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return slidewise.configure(builder).getOrCreate()


def name(dataset: dict[str, Any]) -> str:
    return str(dataset["name"].rsplit("/", 1)[-1])


def lineage(dataset: dict[str, Any]) -> dict[str, Any]:
    """What each column is made of, and what all of them depend on."""
    facet = dataset["facets"].get("columnLineage", {})
    fields = {
        column: sorted(
            (name(source), source["field"], sorted(t["type"] + t["subtype"] for t in source["transformations"]))
            for source in found["inputFields"]
        )
        for column, found in facet.get("fields", {}).items()
    }
    return {"fields": fields, "dataset": sorted((name(source), source["field"]) for source in facet.get("dataset", []))}


def said(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each event that ends a write."""
    return [
        {
            "inputs": sorted(map(name, event["inputs"])),
            "outputs": [(name(output), output["facets"]["schema"]["fields"]) for output in event["outputs"]],
            "lineage": [lineage(output) for output in event["outputs"]],
        }
        for event in events
        if event["eventType"] == "COMPLETE" and event["outputs"] and event["inputs"]
    ]


def written(spark: SparkSession, sql: str, file: Path) -> list[dict[str, Any]]:
    bus = spark._jsc.sc().listenerBus()
    bus.waitUntilEmpty()
    before = len(file.read_text().splitlines())
    for write in WRITES:
        spark.sql(f"{write} {sql}")
    bus.waitUntilEmpty()
    events = file.read_text().splitlines()[before:]
    spark.sql("DROP TABLE result")
    return said([json.loads(event) for event in events])


def main(folder: str, jar: str) -> None:
    spark = session(folder, jar)
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql("""CREATE TABLE events USING parquet AS SELECT id, id % 5 AS k, id * 48271 % 10007 AS t,
        concat('row ', id % 101) AS s, timestamp_seconds(id * 48271 % 10007) AS ts FROM range(0, 2000, 1, 4)""")
    spark.sql("CREATE TABLE asked USING parquet AS SELECT id, k, t FROM events WHERE id % 3 = 0")
    found = {}
    for query, sql in QUERIES.items():
        taken = [row.slidewise for row in slidewise.explain(spark.sql(sql)).collect()]
        on = written(spark, sql, Path(folder) / "events")
        spark.conf.set("spark.slidewise.enabled", "false")
        found[query] = {"taken": taken, "on": on, "off": written(spark, sql, Path(folder) / "events")}
        spark.conf.set("spark.slidewise.enabled", "true")
    spark.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
