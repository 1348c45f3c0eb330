"""`OVER` on streams: what comes out equals the batch answer over the rows that were not late, whatever happens on the way."""
