"""The seed of the random queries: SLIDEWISE_SEED."""

from __future__ import annotations

import pytest
from random_queries import seed_or

SEED = seed_or(1)


@pytest.fixture(scope="session")
def seed() -> int:
    return SEED
