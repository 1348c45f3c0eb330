"""Nothing is lost and nothing dies: little memory, failures, cancellation, many threads."""
