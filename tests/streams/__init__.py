"""`OVER` on streams: what comes out is the batch answer over the rows in time, whatever happens on the way."""
