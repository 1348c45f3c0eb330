"""`slidewise doctor`: checks a session of its own, or that of a Spark Connect server."""

from __future__ import annotations

from collections.abc import Mapping

import click

import slidewise
from slidewise.cli._session import session


def run(settings: Mapping[str, str], self_test: bool) -> bool:
    """Prints the findings. Returns whether one of them is a problem."""
    with session(settings) as spark:
        diagnosis = slidewise.doctor(spark, self_test)
    click.echo(str(diagnosis))
    return diagnosis.level == "problem"
