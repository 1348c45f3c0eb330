"""The SQL functions that Slidewise brings."""
