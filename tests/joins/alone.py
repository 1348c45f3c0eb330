"""How Spark alone answers the queries: in the way that takes the least time for few rows."""

from __future__ import annotations

IN_SPARK = {
    "spark.slidewise.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
