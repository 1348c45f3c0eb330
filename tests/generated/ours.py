"""Slidewise's own aggregates."""

from __future__ import annotations

from functions.catalogue import ALL

from generated.call import Function

FUNCTIONS = [Function(function.name, function.draw, function.weight) for function in ALL if function.draw]
