"""Errors after which the compiler goes on, and succeeds."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Diagnostic, Kind, Limits, Outcome, Signature
from reducer.identity.advice import HarmlessMessage
from reducer.toolchain import Toolchain
from tests.support.reducing import reduced_by

TARGET = Signature(Kind.OTHER_ERROR, "no such device")
ERROR = Diagnostic("in.mlir", 1, 1, "error", "no such device")
COMPILED = Outcome(Kind.SUCCESS, Signature(Kind.SUCCESS), diagnostics=(ERROR,))

# Without a declaration of the device, IREE 3.13.0 prints an error and goes on.
LLVM_CPU = [
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
]
PROMISE = """\
util.global public @w {stream.affinity = #hal.device.promise<@dev>} : tensor<4xf32>
func.func @main(%a: tensor<4xf8E4M3FNUZ>) -> tensor<4xf8E4M3FNUZ> {
  %0 = math.acosh %a : tensor<4xf8E4M3FNUZ>
  return %0 : tensor<4xf8E4M3FNUZ>
}
"""


def notes_on(*outcomes: Outcome, target: Signature = TARGET) -> list[str]:
    notes: list[str] = []
    watch = HarmlessMessage(target, notes.append)
    for outcome in outcomes:
        watch.look(outcome)
    return notes


def test_the_error_of_a_program_that_compiles_is_told_once() -> None:
    (note,) = notes_on(COMPILED, COMPILED)
    assert "another error may be what fails" in note


@pytest.mark.parametrize(
    "outcome",
    [
        replace(COMPILED, diagnostics=()),
        replace(COMPILED, diagnostics=(replace(ERROR, message="out of range"),)),
        replace(COMPILED, diagnostics=(replace(ERROR, severity="warning"),)),
        replace(COMPILED, kind=Kind.OTHER_ERROR),
        replace(COMPILED, kind=Kind.OTHER_ERROR, exit_code=1).turned_down(),
    ],
    ids=["silent", "other", "warning", "fails", "turned down"],
)
def test_all_else_is_not_worth_a_word(outcome: Outcome) -> None:
    assert notes_on(outcome) == []


@pytest.mark.iree
def test_an_error_that_the_compiler_ignores_is_not_taken_for_sure(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    toolchain = iree_toolchain()
    command = Command.parse(
        ["iree-compile", "--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"]
    )
    oracle = CompilerOracle(command, toolchain.compile, limits=Limits(120.0, 8 << 30))
    report = reduced_by(
        oracle, tmp_path, PROMISE, opt=toolchain.opt, ask_elsewhere=False, also_found=False
    )
    assert report.signature.template.startswith("'util.global' op references a promised device")
    assert any("another error may be what fails" in note for note in report.notes)
