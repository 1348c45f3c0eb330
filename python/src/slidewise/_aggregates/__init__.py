"""What evaluates aggregates written in Python. It travels to the workers by value, so that they need no Slidewise."""
