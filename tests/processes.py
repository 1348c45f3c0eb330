"""Programs of tests in processes that the test kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TESTS = Path(__file__).parent


@contextmanager
def killed_at_the_end(*arguments: str, errors: Path) -> Iterator[subprocess.Popen[str]]:
    """Python with `arguments`, in a process group that is gone at the end. `errors` gets what it says there."""
    with errors.open("a") as stderr:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            bufsize=1,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):  # it has ended, and so have those that it started
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def end_of(errors: Path) -> str:
    return errors.read_text()[-3000:]
