"""Checks a session: versions, jar, extension, functions, settings, conflicts, and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slidewise._doctor import _checks, _facts, _self_test
from slidewise._doctor._findings import Diagnosis, Finding, Level

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Diagnosis", "Finding", "Level", "doctor"]


def doctor(spark: SparkSession, self_test: bool = True) -> Diagnosis:
    """Checks a classic or Spark Connect session, and says what to do about each finding.

    The self-test runs a moving frame, a rank and a hopping window with Slidewise on and off, over a few thousand rows,
    and compares the answers. It starts no further query after ten seconds. It sets `spark.slidewise.enabled` of the
    session meanwhile, which queries of other threads of the session see.

    Changes nothing in the session. Print the result, or read its `findings`.

    >>> import slidewise
    >>> from pyspark.sql import SparkSession
    >>> spark = slidewise.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    >>> diagnosis = slidewise.doctor(spark)
    >>> [finding for finding in diagnosis.findings if finding.level == "problem"]
    []
    """
    facts = _facts.of(spark)
    findings = _checks.all_of(facts)
    if self_test and facts.on:
        findings += _self_test.run(spark)
    return Diagnosis(tuple(findings))
