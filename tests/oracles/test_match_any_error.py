"""A failure among several that one run prints."""

from dataclasses import replace

import pytest

from oracles import Kind, Outcome, Signature
from oracles.signature.diagnostics import parse_diagnostics
from oracles.signature.match_any_error import AMONG, match_any_error
from oracles.signature.templates import template_of

PRINTED = """\
a.mlir:4:14: error: 'memref.alloca' op expected no unbounded stack allocations
a.mlir:4:14: error: failed to run translation of source executable to target executable
a.mlir:9:10: error: 'llvm.fpext' op operand #0 must be floating point, but got 'vector<4xi8>'
a.mlir:9:10: error: 'llvm.fpext' op printed after the first error of its dispatch
"""
ALLOCA = Signature(
    Kind.VERIFIER,
    "'memref.alloca' op expected no unbounded stack allocations",
    "memref.alloca",
    "pipeline",
)
CAST = Signature(
    Kind.VERIFIER,
    template_of("'llvm.fpext' op operand #0 must be floating point, but got 'vector<4xi8>'"),
    "llvm.fpext",
    "pipeline",
)
BOTH = Outcome(CAST.kind, CAST, 1, 0.1, diagnostics=parse_diagnostics(PRINTED))
CRASH = Signature(Kind.CRASH, "SIGSEGV", frames=("a::b",))


def test_the_failure_that_names_a_run_needs_nothing_else() -> None:
    assert match_any_error(CAST, BOTH) == ("", BOTH)


@pytest.mark.parametrize("known_by", [CAST, CRASH])
def test_another_dispatch_shows_it(known_by: Signature) -> None:
    how, alone = match_any_error(ALLOCA, replace(BOTH, kind=known_by.kind, signature=known_by))
    assert (how, alone.signature) == (AMONG, ALLOCA)
    assert [one.line for one in alone.diagnostics] == [4]


@pytest.mark.parametrize(
    ("target", "outcome"),
    [
        (replace(ALLOCA, op="memref.alloc"), BOTH),
        (replace(ALLOCA, stage="input"), BOTH),
        (replace(ALLOCA, level="strict"), BOTH),
        (replace(ALLOCA, template=template_of("'llvm.fpext' op printed after the first")), BOTH),
        (ALLOCA, replace(BOTH, signature=replace(CAST, stage="input"))),
        (ALLOCA, replace(BOTH, kind=Kind.SUCCESS, signature=Signature(Kind.SUCCESS))),
        (CRASH, BOTH),
    ],
)
def test_it_is_not_there(target: Signature, outcome: Outcome) -> None:
    assert match_any_error(target, outcome) == (None, outcome)
