"""Random window queries: Slidewise on, Slidewise off and DuckDB must give one answer."""
