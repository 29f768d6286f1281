"""Titles of issues: what people would write, at most a hundred characters."""

from dataclasses import replace
from typing import Any

import pytest

from oracles import Kind, Signature
from oracles.evidence import PassesCheck, RunCheck
from oracles.signature.abnormal import abnormal_exit
from reducer.report.facts import CompilerInfo, Facts, ReproCheck
from reducer.report.patterns import Pattern
from reducer.report.title import MAX_TITLE, title
from tests.report.facts import COMMAND, facts


def said(kind: Kind, template: str, **changes: Any) -> Facts:
    """A failure with this message and signature; the program says nothing of ops."""
    signature = Signature(kind, template, **changes.pop("fields", {}))
    given: dict[str, Any] = {"failure_line": None, "text": "x", "messages": (f"error: {template}",)}
    return facts(signature=signature, **{**given, **changes})


LEGAL = "failed to legalize operation 'torch.x' that was explicitly marked illegal"
STEP = "failed to run translation of source executable to target executable for backend #x"
SILENT = ReproCheck(COMMAND, 1, silent=True)
MATCHED = ReproCheck(COMMAND, pattern=Pattern.of("demoting f64 at 0x12"))
THROWN = ("terminate called after throwing an instance of 'E'", "what():  no rule for 'X'")
SELECT = ("LLVM ERROR: Cannot select: 0x1: " + "x" * 100,)


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (facts(), "Failed to legalize operation `x.bad` (hip)"),
        (
            said(Kind.LEGALIZATION, LEGAL, fields={"op": "torch.x"}),
            "[Torch] failed to legalize operation `torch.x` (hip)",
        ),
        (  # the message does not name the op
            said(Kind.VERIFIER, "operand #0 must be a thing", text='"x.bad"()'),
            "`x.bad`: operand #0 must be a thing (hip)",
        ),
        (said(Kind.TIMEOUT, ""), "`iree-compile` hangs for hip"),
        (
            said(Kind.TIMEOUT, "", fields={"stage": "pipeline CSEPass"}, pass_name="CSEPass"),
            "`iree-compile` hangs in `CSEPass` for hip",
        ),
        (said(Kind.MEMORY, ""), "`iree-compile` runs out of memory for hip"),
        (
            said(Kind.FATAL_ERROR, "E no rule for '<name>'", messages=THROWN),
            "No rule for `X` (hip)",
        ),
        (  # addresses, and no end
            said(Kind.FATAL_ERROR, "Cannot select: ch = store", messages=SELECT),
            "Cannot select: ch = store (hip)",
        ),
        (
            said(Kind.OTHER_ERROR, "silent failure", check=SILENT, pass_name="GPUPadPass"),
            "[Codegen] `GPUPadPass` fails without an error message for hip",
        ),
        (  # it only says that a step failed
            said(Kind.OTHER_ERROR, STEP, pass_name="GPUPadPass"),
            "[Codegen] `GPUPadPass` fails without an error message for hip",
        ),
        (
            said(Kind.MATCH, "/f\\d+/", check=MATCHED, messages=("match: /f\\d+/",)),
            "Demoting f64 at … (hip)",
        ),
    ],
)
def test_what_people_would_write(failure: Facts, expected: str) -> None:
    assert title(failure) == expected


@pytest.mark.parametrize("signal", [4, 6, 7, 11])
def test_a_signal_has_the_name_that_it_has_in_the_signature(signal: int) -> None:
    """A wild pointer gets a SIGBUS or a SIGSEGV, by chance: a report uses one name for both."""
    exit_ = abnormal_exit("", -signal)
    assert exit_ is not None
    crash = said(exit_.kind, exit_.template, exit_code=-signal)
    assert title(crash) == f"`iree-compile` crashes with {exit_.template} for hip"


@pytest.mark.parametrize(
    ("op", "text"),
    [
        ("torch.operator", '%0 = torch.operator "torch.aten.bessel_j0"(%a) : () -> i1'),
        (
            "torch.operator",
            '%0 = "torch.operator"(%a) <{name = "torch.aten.bessel_j0"}> : () -> i1',
        ),
        ("torch.operator torch.aten.bessel_j0", '"torch.operator"() : () -> ()'),
        ("stablehlo.custom_call", "%0 = stablehlo.custom_call @torch.aten.bessel_j0(%a) : i1"),
    ],
)
def test_an_op_that_stands_for_another_is_called_by_that(op: str, text: str) -> None:
    """Nobody who looks for the bug would look for `torch.operator`."""
    name = op.partition(" ")[0]
    failed = said(Kind.LEGALIZATION, f"failed to legalize operation '{name}'", text=text)
    failed = replace(failed, signature=replace(failed.signature, op=op))
    expected = f"`torch.aten.bessel_j0`: failed to legalize operation `{name}`"
    assert title(failed).removeprefix("[Torch] ").startswith(expected)


def test_a_crash_names_the_pass_and_the_function() -> None:
    frames = ("libA.so+0x12", "mlir::a::Fold<int>::apply", "mlir::b::XPass::runOnOperation")
    crash = said(
        Kind.CRASH,
        "SIGSEGV",
        fields={"frames": frames},
        exit_code=-11,
        messages=("SIGSEGV",),
        stack=("#5  mlir::iree_compiler::IREE::Flow::XPass::runOnOperation",),
    )
    assert title(crash) == "`iree-compile` crashes with SIGSEGV in `Fold::apply` for hip"
    known = replace(crash, pass_name="XPass")
    assert title(known) == "[Flow] `XPass` crashes with SIGSEGV in `Fold::apply` for hip"


def test_an_assertion_says_what_its_author_says() -> None:
    text = 'Assertion `isa<To>(Val) && "cast<Ty>() argument of incompatible type!"\' failed.'
    failed = said(Kind.ASSERTION, text, messages=(f"a.h:1: T f(): {text}",), pass_name="XPass")
    assert title(failed) == (
        '`XPass` fails assertion "cast<Ty>() argument of incompatible type!" for hip'
    )
    text = "Assertion `idx < size()' failed."
    assert "fails assertion `idx < size()` for hip" in title(said(Kind.ASSERTION, text))
    for place in ("llvm::SmallVector::at [T = long]", "at at Vector.h", "operator() at Vector.h"):
        at = said(Kind.ASSERTION, f"idx < size() in {place}", messages=("x",))
        assert "fails assertion `idx < size()` for hip" in title(at)
    long = said(Kind.ASSERTION, "succeeded( ConcreteT::verifyInvariants(getDefault(ctx), args...))")
    assert title(replace(long, messages=("cc: a.h:1: T …",), pass_name="XPass")) == (
        "`XPass` fails assertion `succeeded( ConcreteT::verifyInvariants(getDefau…` for hip"
    )


def test_wrong_results_and_programs_that_fail() -> None:
    call = ("iree-run-module", "--module=a.vmfb")
    words = ("iree-compile", "--iree-hal-target-backends=vmvx", "repro.mlir")
    run = ReproCheck(words, run=RunCheck(call, call, status=1))
    text = "%0 = linalg.generic {\n%1 = arith.fptosi %x : f32 to i32\n"
    wrong = said(Kind.MISCOMPILE, "wrong values", check=ReproCheck(words), text=text)
    assert title(wrong) == "Wrong result for `arith.fptosi` on vmvx"
    fails = said(Kind.RUN_FAILURE, "OUT_OF_RANGE in hal.fence.await", check=run, text=text)
    assert title(fails) == "Compiled program fails with OUT_OF_RANGE for `arith.fptosi` on vmvx"


def test_a_pass_that_changes_what_a_program_computes() -> None:
    passes = PassesCheck("", "", "mlir-runner")
    check = ReproCheck(("mlir-opt", "--affine-loop-fusion", "repro.mlir"), passes=passes)
    wrong = said(Kind.MISCOMPILE, "wrong values", check=check, text="")
    wrong = replace(wrong, compiler=CompilerInfo("mlir-opt"))
    assert title(wrong) == "[mlir][affine] `affine-loop-fusion` changes what a program computes"
    lowered = replace(wrong, check=ReproCheck(("mlir-reducer", "check")), pass_name="cse")
    assert title(lowered) == "[mlir] `cse` changes what a program computes", "not by its script"
    stored = replace(wrong, text="affine.store %a, %m[0] : memref<1xi32>\n")
    assert title(stored) == "[mlir][affine] `affine-loop-fusion` miscompiles `affine.store`"


def test_an_opt_tool_is_known_by_its_only_pass() -> None:
    def of(*words: str) -> str:
        check = ReproCheck((*words, "repro.mlir"), -11)
        crash = said(Kind.CRASH, "SIGSEGV", check=check, exit_code=-11)
        return title(replace(crash, compiler=CompilerInfo(words[0])))

    assert of("mlir-opt", "--arith-expand") == "[mlir][arith] `arith-expand` crashes with SIGSEGV"
    assert of("mlir-opt", "--cse", "--inline") == "[mlir] `mlir-opt` crashes with SIGSEGV"
    assert of("toy-tool", "--cse") == "`toy-tool` crashes with SIGSEGV", "of no known project"


def test_scripts_and_exit_codes() -> None:
    known = said(Kind.SCRIPT, "the script finds it interesting", text='"x.bad"()')
    known = replace(known, compiler=CompilerInfo("./files/t.sh"))
    assert title(known) == "`t.sh` reports a failure on `x.bad` for hip"
    long = "error: failed to legalize operation 'x.bad' that was explicitly marked illegal here"
    known = said(Kind.EXIT_CODE, "exit code 1", messages=(long,))
    assert title(known).startswith("Failed to legalize operation `x.bad` that was")


@pytest.mark.parametrize("text", ["x" * 300, "word " * 60, "`" * 99, "a `b\n# c", "'x.y' " * 50])
def test_no_text_makes_it_long_or_opens_a_span(text: str) -> None:
    for kind in Kind:
        fields = {"frames": (text, text), "op": text}
        known = said(kind, text, fields=fields, pass_name=text, stack=(text,), exit_code=-11)
        told = title(known)
        assert 0 < len(told) <= MAX_TITLE
        assert "\n" not in told
        assert told.count("`") % 2 == 0
