"""Checkpoints that versions of Slidewise have left, which later ones go on with."""
