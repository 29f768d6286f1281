"""Each row of what is known of the words of tools has a sample, real output, that needs it."""

import re

import pytest

from benchmarks.ablation import patterns_by_name
from oracles.rows import TABLES, Row
from tests.support.samples import GIVEN, Sample, replaced, sample, samples

SYNTAX = {
    "signature.abort_message._OTHER_TEXT": "how a line of IR, an excerpt or a comment begins",
    "signature.classify._LLVM_PASS_BODY": "names of C++",
    "signature.comparison._PLACE": "templates",
    "signature.comparison._PLACEHOLDERS": "templates",
    "signature.comparison._WORD": "templates",
    "signature.on_stdout._COMMENT": "comments of MLIR",
    "signature.on_stdout._COMMENTS": "comments of MLIR",
    "signature.on_stdout._QUOTED": "strings of MLIR",
    "signature.reasons._END": "ops of MLIR",
    "signature.reasons._STRING": "strings of MLIR",
    "signature.reasons._WITHOUT_RESULTS": "ops of MLIR",
    "signature.reasons._WITH_RESULTS": "ops of MLIR",
    "signature.templates.HASH": "digests and UUIDs",
    "signature.unconverted_ops._DIALECT_TYPE": "types of MLIR",
    "stacks.core_ir._ACCESSOR": "a table of functions",
    "stacks.dispatching._MODEL": "names of C++",
    "stacks.dispatching._PASS_MANAGERS": "a table of functions",
    "stacks.dispatching._THREADS": "a table of functions",
    "stacks.frames._OFFSET": "frames of signatures",
    "stacks.function_names._NAME_PART": "names of C++",
    "stacks.function_names._QUALIFIERS": "names of C++",
}
"""The patterns without a sample: what they read is no message."""

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


def test_a_pattern_for_words_of_tools_is_made_of_rows() -> None:
    plain = {name for name, pattern in patterns_by_name() if pattern not in TABLES}
    assert plain == set(SYNTAX)
