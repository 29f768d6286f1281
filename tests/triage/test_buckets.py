"""A triage puts failures into buckets, one for each bug.

Buckets have reproducers, states and notes in a database, are merged or split by evidence, and say
which release since when; the next run goes on from there.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from reducer.errors import UsageError
from reducer.triage.buckets import (
    Occurrence,
    all_groups,
    cheapest_first,
    compiles_on,
    find_group,
    newest_first,
    occurrences,
)
from tests.support.triages import SUCCESS, Records, failure

ONE = Occurrence("b", "input", 1, 1, "3.8.0", (), ops=10, bytes=100, seconds=1.0)


@pytest.mark.parametrize(
    ("cheaper", "other"),
    [
        (ONE, replace(ONE, ops=11, bytes=1, seconds=0.1)),
        (ONE, replace(ONE, seconds=30.0, bytes=1)),
        (ONE, replace(ONE, bytes=101, version="3.13.0")),
        (ONE, replace(ONE, version="3.7.1")),
        (ONE, replace(ONE, version="3.8.0rc1", input="zzz")),
        (replace(ONE, seconds=1.3, bytes=99), ONE),  # noise in run times does not matter
        (replace(ONE, version=None, compiler=7), ONE),  # a local build counts as the newest
    ],
)
def test_what_is_cheaper_comes_first(cheaper: Occurrence, other: Occurrence) -> None:
    assert cheapest_first([other, cheaper]) == cheapest_first([cheaper, other]) == [cheaper, other]


def test_the_newest_compiler_comes_before_what_is_cheap() -> None:
    new, larger = replace(ONE, version="3.13.0", ops=99), replace(ONE, version="3.13.0", ops=100)
    assert newest_first([ONE, larger, new]) == [new, larger, ONE]
    assert newest_first([]) == []


def test_occurrences_are_those_of_files(tmp_path: Path) -> None:
    records = Records(tmp_path)
    bug = failure()
    records.result("a", "3.8.0", bug, "--x")
    records.result("b", "3.8.0", SUCCESS)
    records.result("c", "3.8.0", bug, file=False)
    (found,) = occurrences(records.database, [bug.bucket])
    assert (found.input, found.version, found.flags) == ("a", "3.8.0", ("--x",))


def test_merged_buckets_are_one_group(tmp_path: Path) -> None:
    records = Records(tmp_path)
    names = []
    for template in ("x", "y", "z"):
        bug = failure(template)
        records.result("a", f"3.{len(names)}.0", bug)
        names.append(bug.bucket)
    records.database.write("UPDATE buckets SET merged_into = ? WHERE bucket = ?", *names[1::-1])
    records.database.write("UPDATE buckets SET merged_into = ? WHERE bucket = ?", *names[2:0:-1])
    (group,) = all_groups(records.database)
    assert group.names == set(names)
    assert find_group(records.database, names[0][:6]).root == group.root


def test_a_prefix_must_match_exactly_one_bug(tmp_path: Path) -> None:
    records = Records(tmp_path)
    with pytest.raises(UsageError, match="no such bucket"):
        find_group(records.database, "ab")
    records.result("a", "3.8.0", failure("x"))
    records.result("b", "3.8.0", failure("y"))
    with pytest.raises(UsageError, match="more than one"):
        find_group(records.database, "")


@pytest.mark.parametrize(
    ("template", "op", "headline"),
    [
        ("illegal 'torch.operator'", 'torch.operator "onnx.DFT"', "onnx.DFT: verifier: illegal"),
        ("dim is not constant", "torch.aten.slice", "torch.aten.slice: verifier: dim is not"),
        ("'a.b' op is wrong", "a.b", "verifier: 'a.b' op is wrong"),
        ("wrong", "", "verifier: wrong"),
    ],
)
def test_what_distinguishes_a_bucket_comes_first(
    tmp_path: Path, template: str, op: str, headline: str
) -> None:
    records = Records(tmp_path)
    records.result("one", "3.8.0", failure(template, op=op))
    [group] = all_groups(records.database)
    assert group.root.headline.startswith(headline)


def test_an_input_compiles_where_all_its_flags_do(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", "3.8.0", failure())
    compiler = records.database.value("SELECT compiler FROM compilers")
    assert not compiles_on(records.database, "a", compiler)
    assert not compiles_on(records.database, "b", compiler)  # it was never run there
    records.result("b", "3.8.0", SUCCESS, "--x")
    assert compiles_on(records.database, "b", compiler)
    records.result("b", "3.8.0", failure(), "--y")
    assert not compiles_on(records.database, "b", compiler)
