"""Naive Bayes: which feature of a model is meant, and which labels are one class."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK_ERRORS, condition_of, needs_collations, needs_trimming_collations

TRAINED = """SELECT naive_bayes_agg(label, struct(Size, colour)) AS m
             FROM VALUES ('a', 1, 'red'), ('a', 2, 'red'), ('b', 5, 'blue'), ('b', 7, 'red')
               AS t(label, Size, colour)"""


def predicted(spark: SparkSession, features: str, trained: str = TRAINED) -> str:
    """By both functions, which agree."""
    sql = f"SELECT naive_bayes_predict(m, {features}) AS p, naive_bayes_score(m, {features}) AS s FROM ({trained})"
    row = spark.sql(sql).first()
    assert row.p == row.s[0].label
    return str([(s.label, round(s.probability, 4)) for s in row.s])


def test_features_have_names_as_columns_have(spark: SparkSession) -> None:
    exact = predicted(spark, "named_struct('Size', 6, 'colour', 'blue')")
    assert exact.startswith("[('b', ")
    assert predicted(spark, "named_struct('sIZE', 6, 'COLOUR', 'blue')") == exact
    unknown = predicted(spark, "named_struct('weight', 6)")
    assert unknown == "[('a', 0.5), ('b', 0.5)]"
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        assert predicted(spark, "named_struct('Size', 6, 'colour', 'blue')") == exact
        assert predicted(spark, "named_struct('size', 6, 'COLOUR', 'blue')") == unknown


@pytest.mark.parametrize(
    "call",
    [
        "naive_bayes_agg(label, struct(size, size AS SIZE))",
        "naive_bayes_predict(naive_bayes_agg(label, struct(size)), named_struct('SIZE', 1, 'size', 2))",
        "naive_bayes_score(naive_bayes_agg(label, struct(size)), named_struct('SIZE', 1, 'size', 2))",
    ],
)
def test_a_name_stands_for_one_feature(spark: SparkSession, call: str) -> None:
    sql = f"SELECT {call} FROM VALUES ('a', 1) AS t(label, size)"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert condition_of(caught.value) == "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
    assert [p for p in ("distinct field names", "occurs twice", call.split("(")[0]) if p not in str(caught.value)] == []
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        assert spark.sql(sql).first()[0]


def test_a_name_that_the_model_has_twice(spark: SparkSession) -> None:
    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        spark.sql(
            "SELECT naive_bayes_agg(label, struct(size, -size AS SIZE)) AS m FROM VALUES ('a', 1) AS t(label, size)"
        ).write.mode("overwrite").saveAsTable("two_sizes")
    try:
        with pytest.raises(SPARK_ERRORS, match="`size`"):
            spark.sql("SELECT naive_bayes_predict(m, named_struct('size', 1)) FROM two_sizes").collect()
    finally:
        spark.sql("DROP TABLE two_sizes")


@pytest.mark.parametrize(
    ("features", "said"),
    [
        ("named_struct('size', '6')", ["`features.size`", "the category '6'", "must be a number, as in the model"]),
        ("named_struct('colour', 6)", ["`features.colour`", "the number 6.0", "must be a category, as in the model"]),
    ],
)
@pytest.mark.parametrize("function", ["naive_bayes_predict", "naive_bayes_score"])
def test_a_number_is_no_category(spark: SparkSession, function: str, features: str, said: list[str]) -> None:
    with pytest.raises(SPARK_ERRORS) as caught:
        spark.sql(f"SELECT {function}(m, {features}) FROM ({TRAINED})").collect()
    text = str(caught.value)
    assert [p for p in ["SLIDEWISE_INVALID_ARGUMENT", f"`{function}`", *said] if p not in text] == [], text


def test_a_feature_that_is_null_is_left_out_whatever_its_type(spark: SparkSession) -> None:
    assert predicted(spark, "named_struct('size', CAST(NULL AS STRING), 'colour', NULL)") == predicted(
        spark, "named_struct('x', 1)"
    )


@needs_collations
@pytest.mark.parametrize(
    "collation", ["UTF8_LCASE", "UNICODE_CI", pytest.param("UTF8_BINARY_RTRIM", marks=needs_trimming_collations)]
)
def test_labels_that_are_equal_are_one_class(spark: SparkSession, collation: str) -> None:
    """Shown as the least of them, however the rows are spread."""
    other = "'A '" if collation.endswith("RTRIM") else "'a'"
    least = "A"
    labels = f"CASE id % 4 WHEN 0 THEN {other} WHEN 1 THEN 'A' ELSE 'b' END COLLATE {collation}"
    for partitions in (1, 3, 7):
        trained = f"SELECT naive_bayes_agg({labels}, struct(id % 4 AS x)) AS m FROM range(0, 40, 1, {partitions})"
        model = spark.sql(trained).first().m
        assert [(c.label, c["count"]) for c in model.classes] == [(least, 20), ("b", 20)]
        assert predicted(spark, "named_struct('x', 0)", trained).startswith(f"[('{least}', ")
    over = "OVER (ORDER BY id ROWS 3 PRECEDING)"
    moving = spark.sql(f"SELECT naive_bayes_agg({labels}, struct(id % 4 AS x)) {over} AS m FROM range(0, 40, 1, 1)")
    shown = [[(c.label, c["count"]) for c in row.m.classes] for row in moving.collect()]
    assert shown[0] == [(other.strip("'"), 1)]
    assert set(map(str, shown[3:])) == {str([(least, 2), ("b", 2)])}


@needs_collations
@pytest.mark.parametrize(
    "call",
    [
        "naive_bayes_agg(label, struct(colour))",
        "naive_bayes_predict(naive_bayes_agg(label, struct('x' AS c)), struct(max(colour)))",
    ],
)
def test_categories_have_no_collation(spark: SparkSession, call: str) -> None:
    table = "(SELECT 'a' AS label, 'Red' COLLATE UTF8_LCASE AS colour)"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"SELECT {call} FROM {table}")
    assert condition_of(caught.value) == "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
    assert "second" in str(caught.value)
    assert "COLLATE UTF8_BINARY" in str(caught.value)
    assert spark.sql(f"SELECT {call.replace('(colour)', '(colour COLLATE UTF8_BINARY)')} FROM {table}").first()


def test_numbers_whose_squares_are_past_the_largest_double(spark: SparkSession) -> None:
    for huge in ("('a', 1e160)", "('a', 1e160), ('a', 3)", "('a', 1e308), ('a', -1e308)"):
        trained = f"SELECT naive_bayes_agg(l, struct(s)) AS m FROM VALUES {huge}, ('b', 2), ('b', 3) AS t(l, s)"
        assert predicted(spark, "struct(2D AS s)", trained) == "[('b', 1.0), ('a', 0.0)]", huge
    one = spark.sql("SELECT naive_bayes_agg('a', struct(1e160 AS s)) AS m").first().m
    assert one.classes[0].gaussian["s"].variance == 0.0


@pytest.mark.parametrize("x", ["double('NaN')", "double('inf')", "double('-inf')", "CAST(NULL AS double)"])
def test_what_is_no_number_is_left_out(spark: SparkSession, x: str) -> None:
    some = "SELECT 'a' AS l, 1D AS s UNION ALL SELECT 'a', 2D UNION ALL SELECT 'b', 7D"
    trained = f"SELECT naive_bayes_agg(l, struct(s)) AS m FROM ({some})"
    with_it = f"SELECT naive_bayes_agg(l, struct(s)) AS m FROM ({some} UNION ALL SELECT 'b', {x})"
    gaussian = [c.gaussian["s"] for c in spark.sql(with_it).first().m.classes]
    assert gaussian == [c.gaussian["s"] for c in spark.sql(trained).first().m.classes]
    assert predicted(spark, f"struct({x} AS s)", trained) == "[('a', 0.6667), ('b', 0.3333)]"


@pytest.mark.parametrize("rows", ["a join", "a subquery a row"])
def test_each_row_is_asked_of_its_own_model(spark: SparkSession, rows: str) -> None:
    """The last model read is kept: models that take turns, of the same length in bytes, are told from each other."""
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW models AS
        SELECT shop, naive_bayes_agg(label, struct(x)) AS m
        FROM VALUES (1, 'a', 1.0D), (1, 'b', 9.0D), (2, 'b', 1.0D), (2, 'a', 9.0D) AS t(shop, label, x)
        GROUP BY shop""")
    sales = "(SELECT 1 + id % 2 AS shop, IF(id % 3 = 0, 1.5D, 8.5D) AS x, id FROM range(0, 300, 1, 1))"
    asked = {
        "a join": f"{sales} JOIN models USING (shop)",
        "a subquery a row": f"(SELECT *, (SELECT first(m) FROM models WHERE models.shop = s.shop) AS m FROM {sales} s)",
    }
    answers = spark.sql(f"""
        SELECT shop, x, naive_bayes_predict(m, struct(x)) AS p, naive_bayes_score(m, struct(x))[0].label AS s
        FROM {asked[rows]} ORDER BY id""").collect()
    assert len(answers) == 300
    for row in answers:
        assert row.p == row.s == ("a" if (row.shop == 1) == (row.x < 5) else "b"), row
