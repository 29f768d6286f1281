"""Suspect ops, log excerpts, folded stacks, targets and components."""

import base64
import json
import re
import shlex

import pytest

from oracles import Kind, Signature
from oracles.stacks.symbols import Symbols
from reducer.report.facts import CompilerInfo, ReproCheck
from reducer.report.issue_body import report_text
from reducer.report.wording import (
    backtrace,
    complete_output,
    components,
    excerpt,
    exit_status,
    folded_stack,
    sole_pass,
    suspect_ops,
    target_of,
)
from tests.report.facts import PROGRAM, facts


def test_the_op_that_the_failure_points_to() -> None:
    assert suspect_ops(facts(failure_line=3)) == ["x.bad"]
    assert suspect_ops(facts(failure_line=4)) == ["x.bad"], "a return is in every program"
    unknown = Signature(Kind.ASSERTION, "no such op")
    assert suspect_ops(facts(failure_line=4, signature=unknown)) == ["x.cst", "x.bad"]
    text = "\n".join(f"%{n} = a.op{n} %x : i1" for n in range(9))
    assert suspect_ops(facts(text=text, failure_line=None)) == []
    named = Signature(Kind.ASSERTION, "no such op", "a.op7")
    assert suspect_ops(facts(text=text, failure_line=None, signature=named)) == ["a.op7"]
    elsewhere = Signature(Kind.ASSERTION, "no such op", "b.made")
    assert suspect_ops(facts(text=text, failure_line=None, signature=elsewhere)) == []


def test_an_attribute_is_no_op() -> None:
    text = 'module attributes {m.chip = "x", m.state = "y", m.file = "z"} {\n  a.op %x : i1\n}\n'
    assert suspect_ops(facts(text=text, failure_line=None)) == ["a.op"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (3, "3"),
        (-11, "killed by SIGSEGV"),
        (-7, "killed by SIGBUS; SIGSEGV in the signature"),
        (-24, "killed by SIGXCPU"),
        (-99, "killed by signal 99"),
    ],
)
def test_how_the_compiler_ended(code: int, said: str) -> None:
    assert exit_status(code) == said


def test_diagnostics_stay_and_stacks_go() -> None:
    text = """Please report issues to https://github.com/iree-org/iree/issues and include the crash.
repro.mlir:3:5: error: failed to bufferize op
  %0 = "x.y"()
       ^
Stack dump:
0.\tProgram arguments: /x/iree-compile repro.mlir
 #0 0x00007f684875a0ab llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) Signals.cpp:0:0
5  libIREECompiler.so 0x00007f1
"""
    assert excerpt(text).splitlines() == [
        "repro.mlir:3:5: error: failed to bufferize op",
        '  %0 = "x.y"()',
        "       ^",
    ]


def test_printed_ir_goes_up_to_the_next_diagnostic() -> None:
    text = "// -----// IR Dump After X Failed (x) //----- //\nmodule {\n}\na.mlir:1:1: error: y\n"
    assert excerpt(text) == "a.mlir:1:1: error: y"


def test_all_of_the_output_where_the_excerpt_is_not() -> None:
    short = "a.mlir:1:1: error: no\n\nStack dump:\n0.\tProgram arguments: c /home/me/a.mlir\n"
    assert complete_output(short) == ""
    for long in ("\n".join(["error: x"] * 99), "error: " + "x" * 500, "// -----// IR Dump x\nfoo"):
        assert complete_output(f"{long}\n{short}").startswith(long)
        assert "/home/me" not in complete_output(f"{long}\n{short}")


def test_it_is_short() -> None:
    shown = excerpt("\n".join(f"error: {n} {'x' * 500}" for n in range(1000)))
    assert len(shown) < 6000
    assert shown.endswith("… and 976 more lines")
    target = 'error: backend #hal.executable.target<"rocm", {abi = "hip"}>'
    assert excerpt(target) == "error: backend #hal.executable.target<…>"


def test_nothing_but_a_stack() -> None:
    assert excerpt("Stack dump:\n #0 0x00007f684875a0ab f() a.cpp:0:0\n") == ""


def unknown(module: str) -> Symbols | None:
    return None


def test_uninformative_frames_are_counted() -> None:
    names = [
        "llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)",
        "SignalHandler(int)",
        "a::Fold::apply(int) const",
        "mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*)",
        "mlir::PassManager::run(mlir::Operation*)",
        "b::XPass::runOnOperation()",
        "main",
    ]
    text = "\n".join(
        f" #{n} 0x{0x7F0000000000 + n:x} {name} x.cpp:0:0" for n, name in enumerate(names)
    )
    assert folded_stack(text, unknown) == (
        "#2  a::Fold::apply",
        "    … 2 frames of pass managers, threads, and the like",
        "#5  b::XPass::runOnOperation",
        "    … 1 frame of pass managers, threads, and the like",
    )


def test_frames_without_a_name_are_called_so() -> None:
    text = "\n".join(
        (
            " #0 0x00007f0000000004 a::Fold::apply(int) const (/lib/libA.so+0x4)",
            " #1 0x00007f0000000005 (/lib/libA.so+0x5)",
            " #2 0x00007f0000000006 (/lib/libA.so+0x6)",
            " #3 0x00007f0000000007 mlir::PassManager::run(mlir::Operation*) (/lib/libA.so+0x7)",
        )
    )
    assert folded_stack(text, unknown) == (
        "#0  a::Fold::apply",
        "    … 2 unnamed frames, 1 frame of pass managers, threads, and the like",
    )


def test_the_backtrace_as_it_was_printed() -> None:
    text = (
        "x.mlir:1:1: error: no\nStack dump:\n0.\tProgram arguments: mlir-opt x.mlir\n"
        " #0 0x00007f0000000004 a::f() (/lib/libA.so+0x4)\nAborted\n"
    )
    assert backtrace(text).splitlines() == [
        "Stack dump:",
        " #0 0x00007f0000000004 a::f() (/lib/libA.so+0x4)",
    ]
    assert backtrace("error: no\n") == ""


def test_the_stacks_of_a_bad_access_and_of_the_allocation_stay_apart() -> None:
    first = "==7== Invalid write of size 8\n==7==    at 0x1: a::f() (in /lib/libA.so)\n"
    then = "==7==  Address 0x9 is 0 bytes after a block of size 8 alloc'd\n"
    then += "==7==    at 0x2: malloc (in /lib/memcheck.so)"
    assert backtrace(f"{first}{then}\n==7== \n==7== Exit program on first error\n") == first + then


def test_a_backtrace_in_the_form_of_older_releases() -> None:
    """As LLVM 15 prints it, whose programs have no symbols: these are the lines of glibc."""
    frames = [
        "/lib/x86_64-linux-gnu/libLLVM-15.so.1(_ZN4llvm3sys17RunSignalHandlersEv+0xee)[0x7fc4294a2]",
        "/lib/x86_64-linux-gnu/libLLVM-15.so.1(+0xf5c6d6)[0x7fc4294a57c6]",
        "/lib/x86_64-linux-gnu/libc.so.6(gsignal+0x12)[0x7fc42805a050]",
        "mlir-opt-15[0x738c8a]",
    ]
    text = "\n".join(
        (
            "mlir-opt-15: a.h:1: T f(): Assertion `x' failed.",
            "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/",
            "Stack dump:",
            "0.\tProgram arguments: mlir-opt-15 in.mlir",
            "Stack dump without symbol names (ensure you have llvm-symbolizer in your PATH):",
            *frames,
            "Aborted",
        )
    )
    shown = backtrace(text).splitlines()
    assert shown[2:] == [
        frames[0].replace("_ZN4llvm3sys17RunSignalHandlersEv", "llvm::sys::RunSignalHandlers()"),
        *frames[1:],
    ]
    assert [line.split()[0] for line in shown[:2]] == ["Stack", "Stack"]
    assert excerpt(text).splitlines() == [
        "mlir-opt-15: a.h:1: T f(): Assertion `x' failed.",
        "Aborted",
    ]
    assert complete_output(text) == ""


def test_no_stack() -> None:
    assert folded_stack("error: x\n", unknown) == ()


def test_targets_in_the_flags_of_any_version() -> None:
    assert target_of(["c", "--iree-hal-target-backends=llvm-cpu"]) == ("llvm-cpu",)
    assert target_of(["c", "-iree-hip-target=gfx90a", "--x=y"]) == ("gfx90a",)
    assert target_of(["c", "--iree-llvmcpu-target-cpu=znver4"]) == ("znver4",)
    assert target_of(["mlir-opt", "--canonicalize"]) == ()


def test_components_of_the_form() -> None:
    assert components("iree-compile", "torch-finalizing-backend-type-conversion", "") == (
        "Frontends",
        "Compiler",
    )
    assert components("iree-compile", "", "torch.aten.sort") == ("Frontends", "Compiler")
    assert components("iree-compile", "iree-codegen-x", "torch.aten.sort") == ("Compiler",)
    assert components("mlir-opt", "canonicalize", "") == ("MLIR",)


def test_the_end_of_a_traceback_is_shown() -> None:
    calls = [f'  File "/a/b.py", line {n}, in f{n}\n    f{n + 1}()' for n in range(30)]
    text = "\n".join(["Traceback (most recent call last):", *calls, "ValueError: no", "}"])
    shown = excerpt(text).splitlines()
    assert shown[:2] == ["Traceback (most recent call last):", "  …"]
    assert shown[-4:] == ['  File "/a/b.py", line 29, in f29', "    f30()", "ValueError: no", "}"]


def test_an_option_of_one_letter_is_no_pass() -> None:
    assert sole_pass(["xdsl-opt", "-p", "cse", "x.mlir"]) == ""


def test_a_page_of_compiler_explorer_has_exactly_the_program_and_the_command() -> None:
    words = ("mlir-opt-22", "--pass-pipeline=builtin.module(a,b{c=1 d})", "repro.mlir")
    mlir = CompilerInfo("mlir-opt-22", ("LLVM version 22.0.0",), "")
    made, _ = report_text(facts(check=ReproCheck(words, 1), compiler=mlir), verified=True)
    (link,) = re.findall(r"\(https://godbolt\.org/clientstate/([\w=-]+)\)", made)
    (session,) = json.loads(base64.urlsafe_b64decode(link))["sessions"]
    assert session["language"] == "mlir" and session["source"] == PROGRAM
    (compiler,) = session["compilers"]
    assert compiler["id"] == "mliropttrunk" and shlex.split(compiler["options"]) == [words[1]]
    other, _ = report_text(facts(), verified=True)
    needs_files = (*words, "--lib=files/a.mlir")
    more, _ = report_text(facts(check=ReproCheck(needs_files, 1), compiler=mlir), verified=True)
    assert "godbolt" not in other and "godbolt" not in more
