"""Looking for a pattern in a text that is still being printed."""

import re

import pytest

from oracles.scan import Scanner, decides_early, dumps_of

DUMPS = """\
warning: not of a pass: needle
// -----// IR Dump After CanonicalizerPass: canonicalize{top-down=true} //----- //
module { needle one }
// -----// IR Dump After CSEPass: cse //----- //
module { needle two }
// -----// IR Dump After Canonicalizer Failed (canonicalize) //----- //
module { three }
"""


def fed(scanner: Scanner, text: str, size: int, stream: str = "stderr") -> list[bool]:
    data = text.encode()
    return [scanner(stream, data[at : at + size]) for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_match_is_found_whatever_the_pieces(size: int) -> None:
    scanner = Scanner(re.compile(r"^b\d+$", re.M))
    assert fed(scanner, "a\nxb1\nb2\nc\n", size)[-1]
    assert scanner.found


def test_half_a_line_is_no_line() -> None:
    scanner = Scanner(re.compile(r"foo$", re.M))
    assert not scanner("stdout", b"foo")
    assert not scanner("stdout", b"bar\n")
    assert scanner("stdout", b"foo\n")


def test_streams_are_apart() -> None:
    scanner = Scanner(re.compile("ab"))
    scanner("stdout", b"a")
    assert not scanner("stderr", b"b\n")


def test_a_match_may_span_lines_and_pieces() -> None:
    scanner = Scanner(re.compile(r"start\n.*\nend"))
    assert fed(scanner, "start\nmiddle\nend\n", 3)[-1]


def test_old_text_is_forgotten_but_lines_stay_whole() -> None:
    scanner = Scanner(re.compile(r"^y", re.M))
    assert not any(fed(scanner, "xy\n" * 100_000, 1 << 16))


def test_the_program_may_be_left_to_end() -> None:
    scanner = Scanner(re.compile("a"), stops=False)
    assert not scanner("stdout", b"a\n")
    assert scanner.found


@pytest.mark.parametrize("size", [5, 1000])
def test_only_the_dumps_of_a_pass(size: int) -> None:
    for pattern, name, expected in (
        ("one", "canonicalize", True),
        ("two", "canonicalize", False),
        ("three", "canonicalize", True),
        ("two", "cse", True),
        ("not of", "cse", False),
    ):
        scanner = Scanner(re.compile(pattern), pass_name=name)
        fed(scanner, DUMPS, size)
        assert scanner.found is expected, (pattern, name)


def test_dumps() -> None:
    assert dumps_of(DUMPS, "canonicalize") == ["\nmodule { needle one }\n", "\nmodule { three }\n"]
    assert dumps_of(DUMPS, "inline") == []


@pytest.mark.parametrize(
    ("pattern", "early"),
    [("needle", True), ("(?:a|b)+$", True), ("a(?!b)", False), (r"a\Z", False), ("(?<!x)a", False)],
)
def test_patterns_that_need_the_whole_text(pattern: str, early: bool) -> None:
    assert decides_early(re.compile(pattern)) is early
