"""Slidewise as people deploy it: each way to start Spark, in processes of its own."""
