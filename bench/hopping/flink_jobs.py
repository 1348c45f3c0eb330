"""Runs in Flink's own environment: answers queries, a line of JSON each, from standard input."""

from __future__ import annotations

import json
import sys

from pyflink.table import EnvironmentSettings, TableEnvironment

_COLUMNS = "k BIGINT, ts TIMESTAMP(3), many BIGINT, `minute` TIMESTAMP(3), x DOUBLE"
# How far events may be out of order: `ts` within a second, `minute` within a minute.
_WATERMARKS = {"events": ("ts", "'5' SECOND"), "events_of_many": ("`minute`", "'2' MINUTE")}


def _environment(settings: EnvironmentSettings, file: str, threads: str) -> TableEnvironment:
    found = TableEnvironment.create(settings)
    found.get_config().set("parallelism.default", threads)
    found.get_config().set("table.local-time-zone", "UTC")
    for name, (time, delay) in _WATERMARKS.items():
        found.execute_sql(
            f"CREATE TABLE {name} ({_COLUMNS}, WATERMARK FOR {time} AS {time} - INTERVAL {delay}) "
            f"WITH ('connector' = 'filesystem', 'path' = '{file}', 'format' = 'csv')"
        )
    found.execute_sql(
        "CREATE TABLE nobody (k BIGINT, start_time TIMESTAMP(3), a DOUBLE, b DOUBLE) WITH ('connector' = 'blackhole')"
    )
    return found


def main() -> None:
    file, checked, threads = sys.argv[1:]
    # Flink evaluates windows from slices over streams only. The stream ends with the file.
    stream = _environment(EnvironmentSettings.in_streaming_mode(), file, threads)
    few = _environment(EnvironmentSettings.in_batch_mode(), checked, threads)
    print("ready", flush=True)
    for line in sys.stdin:
        query = json.loads(line)
        answer: list[float] = []
        if query["checked"]:
            with few.execute_sql(query["sql"]).collect() as rows:
                answer = [float(value) for row in rows for value in row]
        else:
            stream.execute_sql(f"INSERT INTO nobody {query['sql']}").wait()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
