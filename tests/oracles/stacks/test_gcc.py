"""Stacks of GCC."""

import pytest

from oracles.run.process import End, ProcessResult
from oracles.signature.classify import Classification, classify
from oracles.signature.kind import Kind
from oracles.stacks.gcc import functions_of_gcc

STACK = """during GIMPLE pass: slp
a.c: In function 'f':
a.c:3:1: internal compiler error: Segmentation fault
    3 | int f ()
      | ^~~
0x1213b47 internal_error(char const*, ...)
\t???:0
0x154ee85 {function}(loop*)
\t../gcc/cfgloop.c:12
0x1462ee3 loop_optimizer_init(unsigned int)
\t???:0
Please submit a full bug report, with preprocessed source (by using -freport-bug).
"""


def classified(stderr: str) -> Classification:
    return classify(ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", stderr))


def test_an_internal_error_is_known_by_its_functions() -> None:
    one, other = (classified(STACK.format(function=name)) for name in ("mark", "unmark"))
    assert one.kind is Kind.CRASH
    assert one.frames == ("mark", "loop_optimizer_init")
    assert other.frames == ("unmark", "loop_optimizer_init")


@pytest.mark.parametrize("place", ["a.c:12:3", "/tmp/b.c:2:30"])
def test_a_failed_check_is_known_by_where_it_is(place: str) -> None:
    found = classified(f"{place}: internal compiler error: in mode_of, at stor-layout.cc:581\n")
    assert (found.kind, found.template) == (Kind.ASSERTION, "mode_of at stor-layout.cc")


def test_other_text_has_no_such_stack() -> None:
    assert not list(functions_of_gcc("0x12 f(int)\n"))
    assert not list(functions_of_gcc("internal compiler error: x\n"))
