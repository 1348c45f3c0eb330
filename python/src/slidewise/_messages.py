"""The errors of Spark as messages for users."""

from __future__ import annotations

import re


def message_of(error: Exception) -> str:
    """The message of an error of Spark, without the plan, the stack trace and the names of Java classes.

    >>> message_of(ValueError("[NO_SUCH_COLUMN] No column `x`. SQLSTATE: 42703; line 1 pos 7;\\n'Project ['x]"))
    '[NO_SUCH_COLUMN] No column `x`. SQLSTATE: 42703; line 1 pos 7'
    """
    java = getattr(error, "java_exception", None)
    while java is not None and java.getCause() is not None:
        java = java.getCause()
    text = str(java.getMessage() if java is not None else error)
    before_stack = re.split(r"\n\s*(?:at |JVM stacktrace|Driver stacktrace)|\n(?='|\+-)", text)[0]
    return re.sub(r"^(?:[a-z]\w*\.)+[A-Z]\w*: ", "", before_stack).rstrip().removesuffix(";")
