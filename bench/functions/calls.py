"""Each function beside what is written without Slidewise: a list and a lambda, or a UDF over the frame."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from functions.catalogue import ALL
from functions.catalogue.tested import Peer

__all__ = ["CALLS", "WITHOUT_A_PEER", "Peer"]

CALLS = [function.peer for function in ALL if function.peer]
WITHOUT_A_PEER = """`count_min_sketch_merge_agg` and `sliding_sketch_union_agg` merge sketches, which Spark cannot;
`naive_bayes_predict`, `naive_bayes_score` and `sliding_sketch_bounds` are of one row, without a frame."""
