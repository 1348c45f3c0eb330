"""Changes of several tables at once: each changed row meets the other tables' rows of before and of after."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from session import settings
from sparks import SPARK, needs_spark

import slidewise

CARDS = "SELECT id AS card, IF(id IN ({moved}), 'north', 'south') AS region FROM range({cards})"
PAYMENTS = """SELECT id, id % 6 AS card, timestamp_seconds(id * 3600) AS ts, IF(id IN ({corrected}), -id, id) AS x
  FROM range({rows})"""
OVER_BOTH = """SELECT id, id % 4 AS p, region, ts, sum(x) OVER
  (PARTITION BY region ORDER BY ts RANGE INTERVAL 5 HOURS PRECEDING) AS v FROM pay JOIN cards USING (card)"""
LATER = """SELECT a.id, a.id % 4 AS p, a.card, a.ts, count(b.id) AS n, sum(b.x) AS v FROM pay a LEFT JOIN pay b
  ON a.card = b.card AND b.ts > a.ts AND b.ts <= a.ts + INTERVAL 12 HOURS GROUP BY a.id, a.card, a.ts"""
FAILING = """SELECT a.id, a.id % 4 AS p, a.card, count(b.id) AS n FROM pay a
  LEFT JOIN (SELECT * FROM pay WHERE card > 0) b
  ON a.card = b.card AND b.id BETWEEN a.id - 100 DIV a.card AND a.id GROUP BY a.id, a.card"""
# One of several rows of an id is in the result.
ACTIVE = """SELECT id, p, card, n FROM (SELECT a.id, a.p, a.card, a.active, (SELECT count(*) FROM cards_used b
  WHERE b.card = a.card AND b.day BETWEEN a.day - 7 AND a.day) AS n FROM cards_asked a) WHERE active"""
RENAMED = """SELECT rid AS id, rid % 4 AS p, n, (SELECT count(*) FROM pay b
    WHERE b.card = q.c AND b.ts BETWEEN q.t - INTERVAL 3 HOURS AND q.t) AS m
  FROM (SELECT id AS rid, card AS c, ts AS t, (SELECT count(*) FROM cards e WHERE e.card = a.card AND e.card <= a.card)
    AS n FROM (SELECT id, card, ts FROM pay) a) q"""
OF_OWNER = """SELECT a.id, a.id % 4 AS p, c.region, (SELECT count(*) FROM old_pay b
  WHERE b.card = a.card AND b.ts BETWEEN a.ts - INTERVAL 7 HOURS AND a.ts) AS n
  FROM old_pay a LEFT JOIN cards c ON a.card = c.card"""
NO_TIME = """SELECT a.id, a.id % 4 AS p, a.card, (SELECT count(*) FROM pay b
  WHERE b.card = a.card AND b.ts >= date_trunc('DAY', a.ts) AND b.ts < a.ts) AS n
  FROM (SELECT id, card, IF(id % 50 = 0, NULL, ts) AS ts FROM pay) a"""
TWICE = """SELECT a.id, a.id % 4 AS p, a.card, b.x - a.x AS gain, sum(b.x - a.x) OVER
  (PARTITION BY a.card ORDER BY a.ts RANGE INTERVAL 1 DAY PRECEDING) AS v
  FROM pay a JOIN pay b ON a.card = b.card AND b.id = a.id + 6"""


def tables(spark: SparkSession, cards: int, rows: int, moved: str = "0", corrected: str = "-1") -> None:
    spark.sql(CARDS.format(cards=cards, moved=moved)).createOrReplaceTempView("cards")
    spark.sql(PAYMENTS.format(rows=rows, corrected=corrected)).createOrReplaceTempView("pay")


@pytest.fixture(autouse=True)
def stored(spark: SparkSession) -> Iterator[None]:
    tables(spark, cards=5, rows=200)
    for table in ("cards", "pay"):
        spark.table(table).createOrReplaceTempView(f"old_{table}")
    with settings(spark, {"spark.slidewise.refresh.maxShare": "1"}):
        yield
    spark.sql("DROP TABLE IF EXISTS of_both")


def refreshed(spark: SparkSession, query: str, names: list[str]) -> slidewise.Refreshed:
    """Stores the query over the old tables, and refreshes it with all rows of the tables that differ."""
    of_old = (
        query.replace("FROM pay", "FROM old_pay")
        .replace("JOIN pay", "JOIN old_pay")
        .replace("JOIN cards", "JOIN old_cards")
    )
    spark.sql(of_old).write.partitionBy("p").saveAsTable("of_both")
    changes = {
        name: spark.sql(f"(TABLE {name} EXCEPT TABLE old_{name}) UNION ALL (TABLE old_{name} EXCEPT TABLE {name})")
        for name in names
    }
    done = slidewise.refresh(spark.sql(query), "of_both", keys="id", changes=changes)
    found, expected = spark.table("of_both"), spark.sql(query)
    assert sorted(map(repr, found.select(expected.columns).collect())) == sorted(map(repr, expected.collect()))
    assert slidewise.refresh(spark.sql(query), "of_both", keys="id", changes=changes) == slidewise.Refreshed(
        False, 0, 0, 0
    )
    return done


def test_new_rows_of_both_meet_each_other(spark: SparkSession) -> None:
    """Card 5 and all payments with it are found only by both changes."""
    tables(spark, cards=6, rows=206)
    # 33 of the old payments are of card 5.
    done = refreshed(spark, OVER_BOTH, ["cards", "pay"])
    assert not done.whole
    assert done.inserted == 6 + 33
    assert done.deleted == 0


def test_a_row_that_moves_while_rows_that_met_it_are_removed(spark: SparkSession) -> None:
    """Payment 199 was of card 1 in the south: the card is in the north now, and the payment is gone."""
    tables(spark, cards=5, rows=199, moved="0, 1")
    done = refreshed(spark, OVER_BOTH, ["cards", "pay"])
    assert not done.whole
    assert done.deleted == 1


def meets_itself(spark: SparkSession, query: str) -> None:
    """Refreshes a query that reads the payments twice after three new and two corrected ones."""
    tables(spark, cards=5, rows=203, corrected="100, 150")
    done = refreshed(spark, query, ["pay"])
    assert not done.whole
    assert done.inserted == 3
    assert 4 <= done.updated < 40


def test_one_table_in_two_places(spark: SparkSession) -> None:
    meets_itself(spark, TWICE)


def test_a_window_join_with_the_table_itself(spark: SparkSession) -> None:
    meets_itself(spark, LATER)


@pytest.mark.skipif(SPARK < (4, 0), reason="Spark has procedures since 4.0")
def test_a_bound_that_fails_for_rows_without_partners(spark: SparkSession) -> None:
    """The bound of card 0 divides by zero, and no row of the other side has this card."""
    tables(spark, cards=5, rows=206)
    with settings(spark, {"spark.sql.ansi.enabled": "true"}):
        done = refreshed(spark, FAILING, ["pay"])
    assert done == slidewise.Refreshed(False, 6, 0, 0)


def test_several_left_rows_of_which_a_filter_keeps_one(spark: SparkSession) -> None:
    """The times of the changed row are not those of the row that is computed again."""
    asked = """SELECT id, id % 4 AS p, id % 3 AS card, DATE'2026-06-01' + CAST(id AS INT) AS day, true AS active
      FROM range(20)"""
    other = "SELECT 5L AS id, 1L AS p, 2L AS card, DATE'2026-01-04' AS day, false AS active"
    used = "SELECT id % 3 AS card, DATE'2026-05-20' + CAST(id AS INT) AS day FROM range(40)"
    spark.sql(used).createOrReplaceTempView("cards_used")
    spark.sql(asked).createOrReplaceTempView("cards_asked")
    spark.sql(ACTIVE).write.partitionBy("p").saveAsTable("of_both")
    spark.sql(f"{asked} UNION ALL {other}").createOrReplaceTempView("cards_asked")
    done = slidewise.refresh(spark.sql(ACTIVE), "of_both", keys="id", changes={"cards_asked": spark.sql(other)})
    assert done == slidewise.Refreshed(False, 0, 0, 0)
    found, expected = spark.table("of_both").select("id", "p", "card", "n"), spark.sql(ACTIVE)
    assert sorted(found.collect()) == sorted(expected.collect())


def test_two_window_joins_with_other_names_between_them(spark: SparkSession) -> None:
    tables(spark, cards=5, rows=206)
    assert refreshed(spark, RENAMED, ["pay"]).inserted == 6


def test_a_key_that_several_tables_determine(spark: SparkSession) -> None:
    tables(spark, cards=5, rows=200, moved="0, 1")
    spark.sql(OF_OWNER.replace("JOIN cards", "JOIN old_cards")).write.partitionBy("p").saveAsTable("of_both")
    changes = {"cards": spark.table("cards").where("card = 1").unionAll(spark.table("old_cards").where("card = 1"))}
    done = slidewise.refresh(spark.sql(OF_OWNER), "of_both", keys=["id", "region"], changes=changes)
    assert done.inserted == done.deleted > 0
    found, expected = spark.table("of_both").select("id", "p", "region", "n"), spark.sql(OF_OWNER)
    assert sorted(map(repr, found.collect())) == sorted(map(repr, expected.collect()))


def test_a_left_row_without_a_time(spark: SparkSession) -> None:
    """A null bound limits nothing, and is no error."""
    tables(spark, cards=5, rows=206)
    assert refreshed(spark, NO_TIME, ["pay"]).inserted == 6


def test_called_in_sql(spark: SparkSession) -> None:
    spark.sql(OVER_BOTH).write.partitionBy("p").saveAsTable("of_both")
    tables(spark, cards=6, rows=206)
    with settings(spark, {"spark.sql.catalog.slidewise": "org.slidewise.spark.SlidewiseCatalog"}):
        queries = "'cards', 'SELECT * FROM cards WHERE card = 5', 'pay', 'SELECT * FROM pay WHERE id >= 200'"
        done = spark.sql(f"""CALL slidewise.refresh(query => "{OVER_BOTH}", target => 'of_both', keys => array('id'),
          changes_of => map({queries}))""")
        assert done.head().inserted == 39
    assert spark.table("of_both").count() == spark.sql(OVER_BOTH).count()


def test_a_table_under_two_names(spark: SparkSession) -> None:
    spark.sql(OVER_BOTH).write.partitionBy("p").saveAsTable("of_both")
    pay = spark.table("pay").limit(1)
    with pytest.raises(Exception, match=r"(PAY and pay|pay and PAY) are the same table"):
        slidewise.Refresh(spark.sql(OVER_BOTH), "of_both", keys="id", changes={"pay": pay, "PAY": pay})


def test_expressions_of_one_table_without_its_name(spark: SparkSession) -> None:
    changes = {"pay": spark.table("pay"), "cards": spark.table("cards")}
    with pytest.raises(ValueError, match="but must have the names of tables, as \\['pay', 'cards'\\]"):
        slidewise.Refresh(spark.sql(OVER_BOTH), "of_both", keys="id", changes=changes, generated={"card": "id % 6"})


NAMED_LIKE = """WITH pay AS (SELECT *, sum(x) OVER (PARTITION BY card ORDER BY ts RANGE INTERVAL 1 DAY PRECEDING) AS v
  FROM pay) SELECT id, id % 4 AS p, card, ts, v FROM `pay`"""
UPPER = """SELECT id, id % 4 AS p, card, ts,
  sum(x) OVER (PARTITION BY card ORDER BY ts RANGE INTERVAL 1 DAY PRECEDING) AS v
  FROM (SELECT id, concat('c', card) AS card, ts, x FROM pay) AS pay"""


@pytest.mark.parametrize("query", [NAMED_LIKE, UPPER])
def test_a_subquery_with_the_name_of_the_table(spark: SparkSession, query: str) -> None:
    tables(spark, cards=5, rows=200, corrected="100")
    assert refreshed(spark, query, ["pay"]).updated > 1


WITHOUT_TIME = """SELECT card, id + 0 AS number, id % 4 AS p, (SELECT sum(b.x) FROM pay b
  WHERE b.card = a.card AND b.ts BETWEEN a.ts - INTERVAL 2 DAYS AND a.ts) AS v FROM pay a"""


def test_a_window_join_without_a_key_of_the_left_table(spark: SparkSession) -> None:
    """All rows of a key are computed anew, with times before those of the changed rows."""
    spark.sql(WITHOUT_TIME).write.partitionBy("p").saveAsTable("of_both")
    tables(spark, cards=5, rows=206)
    changes = {"pay": spark.table("pay").where("id IN (200, 203)")}
    spark.sql("TABLE pay").where("id < 200 OR id IN (200, 203)").createOrReplaceTempView("pay")
    done = slidewise.refresh(spark.sql(WITHOUT_TIME), "of_both", keys=["card", "number"], changes=changes)
    assert done == slidewise.Refreshed(False, 2, 0, 0)
    found, expected = spark.table("of_both"), spark.sql(WITHOUT_TIME)
    assert sorted(map(repr, found.select(expected.columns).collect())) == sorted(map(repr, expected.collect()))


@needs_spark("4.0", "collations are of 4.0")
def test_texts_that_a_collation_counts_as_equal(spark: SparkSession) -> None:
    """A corrected text is written, also if the collation of its column does not tell it from the old one."""
    names = "SELECT id, id % 4 AS p, card, IF(x < 0, 'ANN', 'ann') COLLATE UTF8_LCASE AS name, ts AS results FROM pay"
    tables(spark, cards=5, rows=200, corrected="100")
    assert refreshed(spark, names, ["pay"]) == slidewise.Refreshed(False, 0, 1, 0)
