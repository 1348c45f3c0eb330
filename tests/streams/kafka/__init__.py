"""A Kafka broker and Spark's connector to it, both from Maven Central."""
