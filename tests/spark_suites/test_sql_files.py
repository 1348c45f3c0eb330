"""Queries are cut out of Spark's SQL files and out of what Spark expects of them, and no others are."""

from pathlib import Path

import pytest
from sql_files import Cut

OVER = Cut("w.sql", '"REFUSED"', "")
FILES = {
    "inputs/w.sql": "-- a comment\nSELECT 1;\n\nSELECT sum(x)\nOVER (a);\nSELECT sum(x);\n",
    "results/w.sql.out": """-- Automatically generated
-- !query
SELECT 1
-- !query schema
struct<1:int>
-- !query output
1


-- !query
SELECT sum(x)
OVER (a)
-- !query schema
struct<>
-- !query output
{
  "errorClass" : "REFUSED"
}


-- !query
SELECT sum(x)
-- !query schema
struct<>
-- !query output
{
  "errorClass" : "ANOTHER"
}
""",
    "analyzer-results/w.sql.out": """-- Automatically generated
-- !query
SELECT 1
-- !query analysis
Project [1 AS 1#x]


-- !query
SELECT sum(x)
OVER (a)
-- !query analysis
{
  "errorClass" : "REFUSED"
}


-- !query
SELECT sum(x)
-- !query analysis
{
  "errorClass" : "ANOTHER"
}
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_queries_with_the_error_are_cut(folder):
    assert OVER.cut_from(folder) == 1
    assert (folder / "inputs/w.sql").read_text() == "-- a comment\nSELECT 1;\n\n\nSELECT sum(x);\n"
    for kind in ("results", "analyzer-results"):
        expected = (folder / kind / "w.sql.out").read_text()
        assert "REFUSED" not in expected
        assert "ANOTHER" in expected
        assert [block.split("\n")[0] for block in expected.split("-- !query\n")[1:]] == ["SELECT 1", "SELECT sum(x)"]


def test_a_file_that_is_not_there_is_left(folder):
    assert OVER._replace(file="other.sql").cut_from(folder) == 0


@pytest.mark.parametrize("kind", ["results", "analyzer-results"])
def test_a_query_that_one_kind_of_results_lacks_fails(folder, kind):
    path = folder / kind / "w.sql.out"
    path.write_text(path.read_text().replace("REFUSED", "ANOTHER"))
    with pytest.raises(ValueError, match=r'w\.sql: . results and . analyzer-results match "REFUSED"'):
        OVER.cut_from(folder)


def test_an_error_of_no_query_fails(folder):
    with pytest.raises(ValueError, match="0 results and 0 analyzer-results match UNKNOWN"):
        OVER._replace(pattern="UNKNOWN").cut_from(folder)
