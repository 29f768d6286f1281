"""Reading the IR that a compiler prints before and after its passes."""

from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from oracles import Command, CompilerOracle, End, Kind, Limits, ProcessResult, Signature
from reducer.asking import Stopped
from reducer.locate.failing_pass import (
    FailingPass,
    FailingPassSearch,
    read_dumps,
    read_reproducer,
)
from reducer.locate.opt_tool import OptTool
from reducer.toolchain import Toolchain
from tests.support.corpus import Case

MODULE = '"builtin.module"() ({\n  "func.func"() ({\n  }) : () -> ()\n}) : () -> ()\n'


def test_both_styles_of_banner() -> None:
    new = (
        "// -----// IR Dump Before CSEPass: cse ('func.func' operation: @f) //----- //\n"
        f"{MODULE}in.mlir:3:1: error: bad\n"
        "// -----// IR Dump After CSEPass Failed: cse{deep=true} ('func.func' operation: @f)"
        f" //----- //\n{MODULE}\n\n"
    )
    old = (
        "// -----// IR Dump After CSE Failed (cse) ('builtin.module' operation) //----- //\n"
        f"{MODULE}"
    )
    before, failed, without_name = read_dumps(new + old)
    assert (before.failed, before.op, before.symbol) == (False, "func.func", "f")
    assert before.text == failed.text == without_name.text == MODULE
    assert before.step
    assert failed.step
    assert failed.failed
    assert (before.step.text, failed.step.text) == ("cse", "cse{deep=true}")
    assert (without_name.op, without_name.symbol) == ("builtin.module", "")


def test_a_dump_after_a_pass_that_did_not_fail_says_nothing() -> None:
    banner = "// -----// IR Dump After CSEPass: cse ('func.func' operation: @f) //----- //\n"
    assert not list(read_dumps(banner + MODULE))
    assert not list(read_dumps("no dump at all\n"))


def test_resources_belong_to_the_module_and_diagnostics_do_not() -> None:
    banner = "// -----// IR Dump Before CSEPass: cse ('builtin.module' operation) //----- //\n"
    section = '\n{-#\n  dialect_resources: {\n    builtin: {\n      a: "0x00"\n    }\n  }\n#-}\n'
    (dump,) = read_dumps(f"{banner}{MODULE}{section}\nin.mlir:1:1: error: bad\n")
    assert dump.text == MODULE + section


@pytest.mark.parametrize(
    "message", ["'x.y' op has no operand", "operand #0 does not dominate this use"]
)
def test_what_the_verifier_rejects_is_not_what_the_pass_receives(
    monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    where = "CSEPass Failed: cse ('builtin.module' operation)"
    banner = f"// -----// IR Dump After {where} //----- //\n"
    reproducer = f"{MODULE}{{-#\n  external_resources: {{\n    mlir_reproducer: {{\n"
    reproducer += '      pipeline: "builtin.module(cse)"\n    }\n  }\n#-}\n'
    result = ProcessResult(End.EXITED, 1, 0.0, 0.0, 0, "", banner + MODULE)
    monkeypatch.setattr(FailingPassSearch, "_run", lambda *_: (result, reproducer))
    target = Signature(Kind.VERIFIER, message)
    tool, compiler = Mock(spec=OptTool), CompilerOracle(Command.parse(["t"]), Path("t"))
    found = list(FailingPassSearch(compiler, MODULE, target, tool)._proposals())
    assert found and all(one.step is not None for one in found)


LIMITS = Limits(seconds=60.0, memory=8 << 30)


@pytest.fixture
def find(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case]
) -> Callable[..., FailingPass | None]:
    """Finds the failing pass of a corpus case with the wheel of its first run."""

    def run(name: str, calls: int = 50) -> FailingPass | None:
        case = corpus(name)
        how = case.runs[0]
        toolchain = iree_toolchain(how.wheel)
        text = (case.folder / str(how.expert)).read_text()
        command = Command.parse(["iree-compile", *how.flags])
        compiler = CompilerOracle(command, toolchain.compile, limits=LIMITS)
        target = compiler.run(text).signature
        tool = OptTool(toolchain.opt, limits=LIMITS, calls=calls, seconds=120.0)
        return FailingPassSearch(compiler, text, target, tool).run()

    return run


Find = Callable[..., FailingPass | None]


@pytest.mark.iree
def test_the_verifier_rejects_what_a_pass_leaves_behind(find: Find) -> None:
    found = find("reduce-f8-add-hip-readlane")
    assert found
    assert found.name == "iree-codegen-expand-gpu-ops"
    assert found.step and found.step.passes[-1].name == found.name
    assert found.signature.kind is Kind.VERIFIER
    assert "rocdl.readlane" not in found.text


@pytest.mark.iree
def test_a_complaint_of_a_pass_needs_the_pass(find: Find) -> None:
    found = find("argsort-dyn-cpu-unbounded-alloca")
    assert found
    assert found.step
    assert (
        found.name == found.step.passes[-1].name == "iree-llvmcpu-check-ir-before-llvm-conversion"
    )


@pytest.mark.iree
def test_the_pass_around_a_pass_that_needs_more_than_its_text_says(find: Find) -> None:
    """No pipeline text can express the callbacks of this bufferization, so it succeeds alone."""
    found = find("seed-21014-topk-bufferize-40")
    assert found
    assert found.step
    assert found.name == "iree-codegen-iree-comprehensive-bufferize"
    assert found.step.passes[-1].name == "iree-llvmgpu-lower-executable-target"
    assert found.signature.kind is Kind.BUFFERIZATION


@pytest.mark.iree
def test_a_crash_leaves_a_reproducer_too(find: Find) -> None:
    found = find("matmul-k0-sigfpe")
    assert found
    assert found.step
    assert found.step.text == "builtin.module(iree-flow-annotate-dispatches)"
    assert found.signature.kind is Kind.CRASH


@pytest.mark.iree
def test_input_that_is_wrong_from_the_start_needs_no_pass(find: Find) -> None:
    found = find("batch-matmul-20548")
    assert found
    assert (found.name, found.step) == ("", None)


@pytest.mark.iree
def test_the_bounds_hold(find: Find) -> None:
    with pytest.raises(Stopped):
        find("matmul-k0-sigfpe", calls=1)


@pytest.mark.iree
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "step"),
    [
        # Its pipeline text has an option that cannot be parsed back.
        ("seed-20581a-gather-subview", "iree-hal-serialize-target-executables"),
        # It fails without a message, so only the pass identifies it.
        ("seed-20581b-pad-operands-dynamic-k", "iree-codegen-gpu-pad-operands"),
        # What it makes breaks the rules, but no op is wrong in itself.
        ("conv-weight-backward-dominance", "iree-rocdl-buffer-instructions-optimization"),
    ],
)
def test_older_compilers(find: Find, name: str, step: str) -> None:
    found = find(name)
    assert found
    assert found.step
    assert found.step.passes[-1].name == step


@pytest.mark.iree
def test_a_hang_is_where_the_last_pass_began(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """A killed compiler writes no reproducer, but the IR it printed before each pass remains."""
    script = tmp_path / "hanging-opt"
    script.write_text(
        f"""#!/bin/sh
{iree_toolchain().opt} "$@" || exit 1
case "$*" in *pass-pipeline*) grep -q arith.addi input.mlir && sleep 600;; esac
exit 0
"""
    )
    script.chmod(0o755)
    text = "func.func @f(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a : i32\n  return %0 : i32\n}\n"
    command = Command.parse(
        ["hanging-opt", "--pass-pipeline=builtin.module(func.func(canonicalize,cse))"]
    )
    target = Signature(Kind.TIMEOUT)
    tool = OptTool(script, limits=Limits(seconds=2.0), calls=20, seconds=60.0)
    found = FailingPassSearch(CompilerOracle(command, script), text, target, tool).run()
    assert found
    assert found.step
    assert found.step.text == "builtin.module(func.func(cse))"


def test_of_a_pass_that_runs_twice_the_last_ir_counts(tmp_path: Path) -> None:
    first, second = (MODULE.replace("func.func", name) for name in ("t.first", "t.second"))
    banner = "// -----// IR Dump {}: cse ('builtin.module' operation) //----- //\n{}"
    failed = banner.format("After CSEPass Failed", second)
    dumps = "".join(banner.format("Before CSEPass", text) for text in (first, second)) + failed
    (tmp_path / "failed").write_text(failed)
    (tmp_path / "dumps").write_text(dumps)
    script = tmp_path / "twice-opt"
    script.write_text(
        f"""#!/bin/sh
case "$*" in
  --help-hidden) echo "      --cse   -   Eliminate subexpressions"; exit 0;;
  *--pass-pipeline*) grep -q t.second input.mlir || exit 0;;
  *--mlir-print-ir-before=*) cat {tmp_path}/dumps >&2;;
  *) cat {tmp_path}/failed >&2;;
esac
echo "input.mlir:2:1: error: failed to legalize operation 't.second'" >&2
exit 1
"""
    )
    script.chmod(0o755)
    message = "failed to legalize operation 't.second'"
    compiler = CompilerOracle(Command.parse(["twice-opt"]), script)
    target = Signature(Kind.LEGALIZATION, message, "t.second", "pipeline")
    tool = OptTool(script, limits=LIMITS, calls=20, seconds=60.0)
    found = FailingPassSearch(compiler, first, target, tool).run()
    assert found
    assert found.step
    assert found.step.text == "builtin.module(cse)"
    assert found.text == second


@pytest.mark.parametrize(
    ("text", "pipeline"),
    [
        (
            "// configuration: -pass-pipeline='builtin.func(cse,canonicalize{ })' -verify-each\n"
            + MODULE,
            "builtin.module(builtin.func(cse,canonicalize))",
        ),
        (
            MODULE
            + '\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: "cse"\n    }'
            + "\n  }\n#-}\n",
            "builtin.module(cse)",
        ),
    ],
    ids=["LLVM 14", "LLVM 15"],
)
def test_reproducers_whose_pipeline_implies_the_module(text: str, pipeline: str) -> None:
    found = read_reproducer(text)
    assert found is not None
    assert found[0].text == pipeline
    assert found[1].strip() == MODULE.strip()
