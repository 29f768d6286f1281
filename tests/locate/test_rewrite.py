"""The rewrite at fault, in real `…-opt` tools, of failures in corpus/opt."""

import math
from dataclasses import replace
from functools import cache

import pytest

from oracles import CompilerOracle
from oracles.compilers.command import resolve_binary
from reducer.locate.applications import read_actions
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import BlamedRewrite, RewriteSearch, crash_judge
from reducer.miscompile.locate.wrong_pass import result_judge
from reducer.miscompile.oracle import ValuesOracle
from tests.support.opt_corpus import opt_cases

CASES = {case.name: case for case in opt_cases()}


@cache
def blamed(name: str) -> BlamedRewrite:
    """The rewrite that is blamed for a case of the corpus."""
    case = CASES[name]
    if case.command is None:
        pytest.skip(f"there is no {case.tool}")
    oracle, opt = case.oracle(), case.opt()
    assert opt is not None
    tool = OptTool(resolve_binary(opt), limits=case.limits, calls=100, seconds=300)
    target = oracle.run(case.text, limits=case.limits).signature
    if isinstance(oracle, ValuesOracle):
        judge, inner = result_judge(oracle, case.text, tool), oracle.inner
    else:
        assert isinstance(oracle, CompilerOracle)
        judge, inner = crash_judge(oracle, target, tool), oracle
    found = RewriteSearch(inner, case.text, target, judge, tool).run()
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "pattern", "number"),
    [
        ("mlir-203813", "DropPadUnitDims", 1),
        ("iree-203813", "DropPadUnitDims", 1),
        ("mlir-205228", "RemoveDeallocMemrefsContainedInRetained", 19),
        ("mlir-205233", "ExtUIPattern", 2),
        ("mlir-216225", "lowering_n_d::PrepareTransferWriteConversion", 5),
        ("mlir-219456", "WhileMoveIfDown", 4),
        ("mlir-222539", "AnyFunctionOpInterfaceSignatureConversion", 1),
    ],
)
def test_the_pattern_and_which_application_it_is(name: str, pattern: str, number: int) -> None:
    found = blamed(name)
    assert (found.pattern, found.number, found.sure) == (pattern, number, True)
    assert found.op
    assert found.runs <= 2 * math.log2(found.applications) + 6


def test_a_wrong_result_shows_before_and_after_and_alone() -> None:
    found = blamed("mlir-219456")
    assert "scf.condition(%1) %2, %2, %arg0" in found.before
    assert "scf.condition(%1) %c20, %c20, %arg0" in found.after
    assert found.sentence.startswith("pattern `WhileMoveIfDown` turns `")
    assert found.how.endswith("on the IR before it, it fails with this one alone")
    made = CASES["mlir-219456"].oracle()
    assert isinstance(made, ValuesOracle)
    wrong = made.on_program(found.before, replace(made.inner.command, argv=found.alone))
    assert wrong.run(found.before).kind.traits.wrong_results
    assert BlamedRewrite.from_json(found.to_json()) == found


@pytest.mark.parametrize("name", ["mlir-119863", "mlir-173553"])
def test_no_pattern_is_blamed_where_the_pass_applies_none(name: str) -> None:
    found = blamed(name)
    assert not found.pattern
    assert (
        found.text == "no rewrite by a pattern: it fails without any; the pass itself is at fault"
    )


def test_a_log_that_ends_anywhere() -> None:
    started = "[thread x] begins (no breakpoint) Action `"
    log = f"""\
{started}pass-execution` running `mlir::detail::OpToOpPassAdaptor` on Operation `m` (m)`
{started}pass-execution` running `a::Canonicalizer` on Operation `func.func` (f)`
[thread x] begins (no breakpoint) Action GreedyPatternRewriteIteration(1) (Region)
{started}apply-pattern pattern: A<(anonymous namespace)::k, 1> (%0 = t.a (%1))`
[thread x] completed `apply-pattern`
{started}apply-pattern pattern:  (cf.br ^bb1)`"""
    found = read_actions(log)
    assert [(one.pattern, one.op, one.pass_name) for one in found.applications] == [
        ("A<k, 1>", "%0 = t.a (%1)", "Canonicalizer"),
        ("", "cf.br ^bb1", "Canonicalizer"),
    ]
    assert found.applications[1].name == "a pattern without a name of cf.br"
    assert (found.is_open, found.passes) == (True, 2)
