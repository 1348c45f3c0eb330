"""A classifier that is trained over a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slidewise.functions._call import call, constants

if TYPE_CHECKING:
    from pyspark.sql import Column

    from slidewise.functions._call import ColumnOrName


def naive_bayes_agg(label: ColumnOrName, features: ColumnOrName, smoothing: float | None = None) -> Column:
    """A naive Bayes classifier trained with the rows, a struct that people can read.

    `features` is a struct: its numbers have a normal distribution in each class, its other fields are categories.

    >>> df = spark.createDataFrame([("a", 1.0), ("a", 3.0), ("b", 7.0)], "label string, size double")
    >>> model = df.select(naive_bayes_agg("label", F.struct("size")).alias("m")).first().m
    >>> [(c.label, c["count"], c.gaussian["size"]["mean"]) for c in model.classes]
    [('a', 2, 2.0), ('b', 1, 7.0)]
    """
    return call("naive_bayes_agg", label, features, *constants(smoothing))


def naive_bayes_predict(model: ColumnOrName, features: ColumnOrName) -> Column:
    """The most probable label of the features, a struct with the names that the model was trained with.

    >>> rows = [(1, "a", 1.0), (2, "b", 5.0), (3, "a", 2.0), (4, "b", 6.0)]
    >>> df = spark.createDataFrame(rows, "i int, label string, x double")
    >>> before = trailing(rows=3).orderBy("i")
    >>> model = naive_bayes_agg("label", F.struct("x")).over(before)
    >>> guess = naive_bayes_predict(model, F.struct(F.lit(5.0).alias("x")))
    >>> [row.guess for row in df.select(guess.alias("guess")).collect()]
    ['a', 'b', 'b', 'b']
    """
    return call("naive_bayes_predict", model, features)


def naive_bayes_score(model: ColumnOrName, features: ColumnOrName) -> Column:
    """Each label with its probability, the most probable first.

    >>> df = spark.createDataFrame([("a", "red"), ("a", "red"), ("b", "blue"), ("b", "red")], "label string, c string")
    >>> model = df.select(naive_bayes_agg("label", F.struct("c")).alias("m"))
    >>> [score] = model.select(naive_bayes_score("m", F.struct(F.lit("red").alias("c"))).alias("s")).first()
    >>> [(s.label, round(s.probability, 2)) for s in score]
    [('a', 0.6), ('b', 0.4)]
    """
    return call("naive_bayes_score", model, features)
