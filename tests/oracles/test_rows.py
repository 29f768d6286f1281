"""Each row of what is known of the words of tools has a sample, real output, that needs it."""

import re

import pytest

from oracles.rows import TABLES, Row
from tests.support.samples import GIVEN, Sample, replaced, sample, samples

ROWS = [(pattern, row) for pattern, table in TABLES.items() for row in table.rows]


@pytest.mark.parametrize("each", samples().values(), ids=samples())
def test_a_sample_says_where_it_is_from_and_gives_its_signature(each: Sample) -> None:
    assert each.about["tool"] and (each.about.get("command") or each.about.get("report"))
    assert each.given == {key: each.about[key] for key in GIVEN if key in each.about}


@pytest.mark.parametrize(("pattern", "row"), ROWS, ids=[f"{row[1]} {row[0]}" for _, row in ROWS])
def test_without_a_row_its_sample_is_another_failure(pattern: re.Pattern[str], row: Row) -> None:
    with_row = sample(row[1]).read()
    with replaced({pattern: TABLES[pattern].without(row)}):
        assert sample(row[1]).read() != with_row
