"""What the tests of the functions share."""

from __future__ import annotations

from semantics.conftest import ask, fails

__all__ = ["ask", "fails"]
