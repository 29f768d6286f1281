"""The op that a program prints before it stops."""

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.classify import Classification, classify
from oracles.signature.reasons import last_dumped_op

REGION = '%0:2 = "a.for"(%1) ({\n^bb0(%a: f32):\n  "a.end"() {s = "}"} : () -> ()\n})'


def ended(stderr: str) -> Classification:
    return classify(ProcessResult(End.EXITED, -6, 0.0, 0.0, 0, "", stderr))


@pytest.mark.parametrize(
    ("printed", "op"),
    [
        ('%28 = "top.Sin"(%18) : (f32) -> f32 loc("op8")\n', "top.Sin"),
        ("%28:2, %x = a.b %18 : f32\n\n", "a.b"),
        ("a.store %x, %y : f32\n", "a.store"),
        ('"a.end"() : () -> ()\n', "a.end"),
        ('"a.end"(%0) : (i1) -> ()\n', "a.end"),
        ('%0 = "a.constant.int"() : () -> i1\n', "a.constant.*"),
        (REGION + " : (i1) -> (f32, f32)\n", "a.for"),
        ("%0 = a.for %1 {\n  a.if %2 {\n    a.x %3\n  }\n} {k = 1} : f32\n", "a.for"),
        # what encloses the op, prose, a header, an excerpt, the end of what is not there
        ("a.func @f(%x: f32) {\n  a.end %x\n}\n", ""),
        ("module {\n  %0 = a.b\n}\n", ""),
        ("a.b cannot go on\n", ""),
        ('"a.b" is not supported\n', ""),
        ("a.mlir:1:1: error: 'a.b' op is bad\n  %0 = a.b\n       ^\n", ""),
        ("}\n", ""),
        ("", ""),
    ],
)
def test_the_op_that_a_text_ends_with(printed: str, op: str) -> None:
    assert last_dumped_op("loading\n" + printed) == op


@pytest.mark.parametrize(
    "last",
    [
        "unimplemented!\nUNREACHABLE executed at /s/a.cpp:3!\n",
        "UNREACHABLE executed at /s/a.cpp:3!\n",
        'opt: /s/a.cpp:3: void f(int): Assertion `false && "unimplemented"\' failed.\n',
        "terminate called after throwing an instance of 'E'\n  what():  unimplemented\n",
    ],
)
def test_who_stops_in_any_case_stops_because_of_the_op_printed_before(last: str) -> None:
    one, other = '%1 = "a.sin"(%0) : (f32) -> f32\n', '%1 = "a.cos"(%0) : (f32) -> f32\n'
    assert (ended(one + last).op, ended(other + last).op) == ("a.sin", "a.cos")
    assert ended(one + last).template == ended(last).template
    assert ended(one + "next:\ngoing on\n" + last).op == ended(last).op == ""


def test_an_error_before_the_end_counts_more() -> None:
    error = "a.mlir:1:1: error: 'a.b' op is bad\n"
    last = "%1 = a.c %0 : f32\nUNREACHABLE executed at a.cpp:3!\n"
    assert ended(error + last).op == "a.b"
    assert ended("a.mlir:1:1: error: it is bad\n" + last).op == "a.c", "it names no op"


def test_a_condition_that_may_hold_is_a_bug_of_its_own() -> None:
    failed = "opt: /s/a.cpp:3: void f(int): Assertion `rank > 0' failed.\n"
    assert ended("%1 = a.c %0 : f32\n" + failed).op == ""
