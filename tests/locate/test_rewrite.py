"""The rewrite at fault, in real `…-opt` tools, of failures in corpus/opt."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from oracles import Command, CompilerOracle, Limits, Signature
from oracles.compilers.command import resolve_binary
from oracles.signature.kind import Kind
from reducer.locate.applications import Actions, Application, read_actions
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import Fails, RewriteSearch, crash_judge
from reducer.miscompile.locate.wrong_pass import result_judge
from reducer.miscompile.oracle import ValuesOracle
from tests.support.opt_corpus import opt_cases
from tests.support.opt_tools import INVALID, find_opt

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
    assert CASES[name].text.splitlines()[found.line - 1].find(found.op.split("%")[0].strip()) >= 0
    assert found.runs <= 2 * math.log2(found.applications) + 6


def test_a_wrong_result_shows_before_and_after_and_alone() -> None:
    found = blamed("mlir-219456")
    assert "scf.condition(%1) %2, %2, %arg0" in found.before
    assert "scf.condition(%1) %c20, %c20, %arg0" in found.after
    assert found.sentence.startswith("pattern `WhileMoveIfDown` turns `")
    assert found.applied_to.startswith("line 7: %0:3 = scf.while")
    assert found.how.endswith("on the IR before it, it fails with this one alone")
    made = CASES["mlir-219456"].oracle()
    assert isinstance(made, ValuesOracle)
    wrong = made.on_program(found.before, replace(made.inner.command, argv=found.alone))
    assert wrong.run(found.before).kind.traits.wrong_results
    assert BlamedRewrite.from_json(found.to_json()) == found
    text = CASES["mlir-219456"].text
    assert found.in_program(text, f"// RUN: x\n{text}").line == 8
    assert found.in_program(text, "").line == 0


@pytest.mark.parametrize("name", ["mlir-119863", "mlir-173553"])
def test_no_pattern_is_blamed_where_the_pass_applies_none(name: str) -> None:
    found = blamed(name)
    assert not found.pattern
    assert (
        found.text
        == "no pattern is needed; the pass, an analysis or a fold that it calls is at fault"
    )


PROGRAM = """\
func.func @f(%a: i16) -> (i16, i16) {
  %c = arith.constant 301 : i16
  %n = arith.constant -602 : i16
  %0 = arith.addi %a, %c : i16
  %1 = arith.addi %0, %c : i16
  %2 = arith.addi %1, %n : i16
  %3 = arith.muli %2, %2 : i16
  %4 = arith.muli %c, %n : i16
  return %3, %4 : i16, i16
}
"""


def blamed_if(fails: Callable[[Command, str], bool], program: str = PROGRAM) -> BlamedRewrite:
    """The rewrite of a program for a judge of a command and of what it makes."""
    opt = find_opt()
    tool = OptTool(opt, limits=Limits(20.0), calls=100, seconds=100)
    oracle = CompilerOracle(Command.parse([opt.name, "--canonicalize"]), opt, limits=tool.limits)

    def judge(command: Command, text: str) -> bool | None:
        made = search.made(command, text)
        search.runs -= 1  # a run of the judge counts once
        return fails(command, made) if made else None

    search = RewriteSearch(oracle, program, Signature(Kind.MISCOMPILE), judge, tool)
    found = search.run()
    assert found is not None
    return found


def test_a_fold_is_told_by_the_op_that_is_gone() -> None:
    found = blamed_if(lambda command, made: made.count("arith.muli") < 2)
    assert (found.name, found.sure) == ("a fold of `arith.muli` in line 8", True)
    assert found.op == "%4 = arith.muli %c, %n : i16"
    assert found.sentence.startswith("a fold of `arith.muli` in line 8 turns `%4 = arith.muli %c")


def test_a_fold_after_a_right_pattern_is_no_fault_of_the_pattern() -> None:
    found = blamed_if(lambda command, made: "arith.addi" not in made)
    assert (found.name, found.sure) == ("a fold of `arith.addi`", True)
    assert found.how.startswith("right after `AddIAddConstant` alone, it does not fail")
    assert "addi %arg0, %c0_i16" in found.before


def test_rewrites_that_are_at_fault_together_are_a_window() -> None:
    def needs_both(command: Command, made: str) -> bool:
        asked = re.search(r"apply-pattern-skip=(\d+),apply-pattern-count=(\d+)", str(command))
        skip, count = map(int, asked.groups()) if asked else (0, 99)
        return skip < 5 and skip + count >= 9

    chain = [f"  %x{k} = arith.addi %a, %{f'x{k - 1}' if k else 'a'} : i16\n" for k in range(30)]
    program = PROGRAM.replace("%2, %2", "%2, %x29").replace("  %0", f"{''.join(chain)}  %0", 1)
    found = blamed_if(needs_both, program)
    assert not found.sure
    assert found.text.startswith("one of the rewrites up to")
    assert f"(applications {found.first} to 9 of" in found.text
    assert 1 < found.first <= 5


def searching(target: Signature, flag: str, fails: Fails) -> RewriteSearch:
    opt = find_opt()
    tool = OptTool(opt, limits=Limits(20.0), calls=100, seconds=200)
    oracle = CompilerOracle(Command.parse([opt.name, flag]), opt, limits=tool.limits)
    return RewriteSearch(oracle, PROGRAM, target, fails, tool)


def test_the_pattern_that_loops_is_told_from_those_that_set_the_loop_up() -> None:
    """Each kind is left out in turn; it is not at fault if it hangs without it, too."""

    def hangs(command: Command, text: str) -> bool:
        told = str(command)
        count = re.search(r"apply-pattern-count=(\d+)", told)
        kept = re.search(r"(disable|enable)-patterns=(.*)", told)
        left_out = kept and any(
            (name in kept[2]) is (kept[1] == "disable")
            for name in ("::AddISubConstantRHS", "::AddIAddConstant")
        )
        return not left_out and (count is None or int(count[1]) >= 6)

    found = searching(Signature(Kind.TIMEOUT), "--canonicalize", hangs).run()
    assert found is not None
    assert found.cycle == ("AddIAddConstant", "AddISubConstantRHS")
    assert found.pattern == "AddIAddConstant"
    assert (
        found.name == "`AddIAddConstant` is applied without end on what `AddISubConstantRHS` made"
    )
    assert found.how.endswith("2 are enough, and none of these is too much")


@pytest.mark.parametrize(("fails", "is_alone"), [("apply-pattern", True), ("", False)])
def test_folds_are_applied_alone_if_the_program_is_right_without_them(
    fails: str, is_alone: bool
) -> None:
    target = Signature(Kind.MISCOMPILE)
    search = searching(target, "--canonicalize", lambda command, text: fails in str(command))
    command = search.alone(BlamedRewrite(folds=("arith.muli",)), PROGRAM)
    assert (command is not None) is is_alone
    assert not is_alone or "apply-pattern-count=0" in str(command)


@pytest.mark.parametrize(
    ("tried", "how"),
    [
        ('%0 = torch.operator "onnx.If"(%a)', 'tried last on torch.operator "onnx.If", and given'),
        ('%0 = torch.operator "onnx.Add"(%a)', ""),  # another op, or one spelled otherwise
        ("%0 = a.op %a", 'no pattern was tried on torch.operator "onnx.If"'),
    ],
)
def test_an_op_is_known_by_its_name_and_what_it_stands_for(tried: str, how: str) -> None:
    target = Signature(Kind.LEGALIZATION, op='torch.operator "onnx.If"')
    search = searching(target, "--canonicalize", lambda command, text: None)
    actions = Actions((Application("P", tried, 1, "", 1),), False, 1, False)
    found = search._gave_up(actions)
    assert found.how.startswith(how)
    assert bool(found.how) is bool(how)


def test_what_only_the_generic_form_can_show_is_compared_in_it() -> None:
    opt, flags = find_opt(), ("--allow-unregistered-dialect", "--test-pdl-bytecode-pass")
    tool = OptTool(opt, limits=Limits(20.0), calls=20, seconds=100)
    oracle = CompilerOracle(Command.parse([opt.name, *flags]), opt, limits=tool.limits)
    search = RewriteSearch(oracle, INVALID, Signature(Kind.VERIFIER), lambda *_: True, tool)
    one = Application("", "", 0, "", 1)
    found = replace(search._blamed(Actions((one,), False, 1, False), 0, 1), pattern="P")
    assert [line.split("(")[0] for line in found.difference] == [
        '-%0 = "t.p"',
        '+%0_4 = "arith.mulf"',
        '+%0 = "math.sqrt"',
    ]
    assert 'turns `%0 = "t.p"(%arg0) : (i16) -> i16` into `%0_4 = "arith.mulf"(' in found.sentence


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        (  # an op goes, and those after it get its number
            "%0 = a.x\n%1 = a.y %0\n%2 = a.z %1\na.r %2\n%0 = b.x\nb.r %0",
            "%0 = a.x\n%1 = a.z %0\na.r %1\n%0 = b.x\nb.r %0",
            ["-%1 = a.y %0", "-%2 = a.z %1", "+%2 = a.z %0"],
        ),
        (  # what takes the place of an op is called as that
            "%c5 = a.c\n%0 = a.x %c5\na.r %0",
            "%c6 = a.d\n%c5 = a.c\n%0 = a.y %c6, %c5\na.r %0",
            ["+%c6 = a.d", "-%0 = a.x %c5", "+%0 = a.y %c6, %c5"],
        ),
        (  # ops that are alike but for their operands
            "^bb0(%arg0: i1):\n%0 = a.x %arg0\n%1 = a.x %0\n%2 = a.x %1\na.r %2, %0",
            "^bb0(%arg0: i1):\n%0 = a.x %arg0\n%1 = a.x %0\na.r %1, %0",
            ["-%2 = a.x %1", "-a.r %2, %0", "+a.r %1, %0"],
        ),
        (  # an op around others, and aliases
            "#map = m<0>\nmodule {\n  a.if {\n    a.x {m = #map}\n  }\n}",
            "#map = m<1>\n#map1 = m<0>\nmodule {\n  a.x {m = #map1}\n  a.y {m = #map}\n}\n",
            ["+#map_0 = m<1>", "-a.if {", "+a.y {m = #map_0}", "-}"],
        ),
        ("%0:2 = a.x\na.r %0#1", "%0 = a.y\n%1:2 = a.x\na.r %1#1", ["+%0_0 = a.y"]),
    ],
)
def test_a_difference_has_what_changed_only(before: str, after: str, difference: list[str]) -> None:
    assert BlamedRewrite(before=before, after=after).difference == difference
    assert not BlamedRewrite(before=before, after=before).difference


PATTERN = BlamedRewrite(pattern="P", number=30, applications=30, runs=9, how="why")


@pytest.mark.parametrize(
    ("found", "certainty", "claim"),
    [
        (replace(PATTERN, sure=True), "shown", "`P` (application 30 of 30), found in 9 runs"),
        (PATTERN, "last seen", "`P` (application 30 of 30) (last seen), found in 9 runs"),
        (
            replace(PATTERN, first=5),
            "within",
            "one of the rewrites up to `P` (applications 5 to 30 of 30), found in 9 runs",
        ),
        (replace(PATTERN, first=1), "unknown", "unknown"),
        (
            BlamedRewrite(folds=("a.b", "a.c"), how="why", runs=2),
            "within",
            "one of the folds of `a.b` and `a.c`, found in 2 runs",
        ),
        (BlamedRewrite(how="no pattern was tried", runs=2), "unknown", ""),
    ],
)
def test_how_sure_a_blame_is_follows_from_what_was_tried(
    found: BlamedRewrite, certainty: str, claim: str
) -> None:
    blame = found.blame.to_json()
    assert (blame["certainty"], found.blame.claim) == (certainty, claim)
    assert blame["text"].endswith(found.how)
    assert BlamedRewrite.from_json(found.to_json()) == found


def test_a_log_that_ends_anywhere() -> None:
    started = "[thread x] begins (no breakpoint) Action `"
    log = f"""\
{started}pass-execution` running `mlir::detail::OpToOpPassAdaptor` on Operation `m` (m)`
{started}pass-execution` running `a::Canonicalizer` on Operation `func.func` (f)`
[thread x] begins (no breakpoint) Action GreedyPatternRewriteIteration(1) (Region)
{started}apply-pattern pattern: A<(anonymous namespace)::k, 1> (%0 = t.a (%1))`
[thread x] completed `apply-pattern`
{started}apply-pattern pattern:  (cf.br ^bb1 loc(fused["b":9:1, "/a.mlir":3:5]))`"""
    found = read_actions(log, "/a.mlir")
    assert [(one.pattern, one.op, one.line, one.pass_name) for one in found.applications] == [
        ("A<k, 1>", "%0 = t.a (%1)", 0, "Canonicalizer"),
        ("", "cf.br ^bb1", 3, "Canonicalizer"),
    ]
    assert found.applications[1].name == "a pattern without a name of cf.br"
    assert (found.is_open, found.passes) == (True, 2)
