"""A log, a crash reproducer or a test as people post it is enough to find command and input.

What may run of it is decided beforehand: programs of compilers, with flags known to be harmless.

This file: what of a command in a file may run, decided by the help texts of the programs.
"""

import json
import re
from pathlib import Path

import pytest

from reducer.intake import read_crash
from reducer.intake.allowed import Allowed, Known, allowed, hidden_in_reproducer
from reducer.toolchain.flags import read_flags
from tests.intake.hostile import COMMANDS, PIPELINES, PY_HELP, TOY_HELP

RECORDED = Path(__file__).with_name("recorded")
PROGRAM = "func.func @f(%x: i32) -> i32 {\n  %0 = arith.addi %x, %x : i32\n  return %0 : i32\n}\n"
KNOWN: dict[str, Known] = {
    **{file.stem: read_flags(file.read_text()) for file in RECORDED.glob("*.help")},
    "toy-opt": read_flags(TOY_HELP),
    "py-opt": read_flags(PY_HELP),
}
REFUSED = re.compile(
    r"load-plugin=|iree-plugin|exec-on|executables-with|linker-path|load-\w+-plugin=|toolkit|--load="
    r"|plugin-target|run-with"
)
HARMLESS: dict[str, list[list[str]]] = json.loads((RECORDED / "harmless.json").read_text())
"""Commands in public issues and in our own tests, and what was taken of them all along."""


def in_text(form: str, command: str) -> str:
    return form.format(command) + f"\n```mlir\n{PROGRAM}```\n"


def decided(text: str) -> tuple[list[tuple[str, ...]], str]:
    """The commands that may run, and all that is said of what may not."""
    crash = read_crash(text, Path("/nowhere/issue.md"))
    said = list(crash.left_out)
    commands = []
    for words in crash.commands:
        found = allowed(words, KNOWN.get(words[0], {}))
        assert set(found.refused) <= set(found.left_out)
        commands.append(found.words)
        said += found.left_out
    return commands, "\n".join(said)


@pytest.mark.parametrize("command", HARMLESS)
def test_harmless_commands_are_taken_as_they_are(command: str) -> None:
    commands, _ = decided(in_text("```\n{}\n```", command))
    assert [list(words) for words in commands] == HARMLESS[command]


@pytest.mark.parametrize("form", ["```\n$ {}\n```", "// RUN: {}", "0.\tProgram arguments: {}"])
@pytest.mark.parametrize("command", COMMANDS)
def test_hostile_commands_are_not(command: str, form: str) -> None:
    commands, said = decided(in_text(form, command))
    assert not any("victim" in word for words in commands for word in words)
    assert "victim" in said or not commands


@pytest.mark.parametrize("tool", ["iree-compile", "mlir-opt", "toy-opt", "no-help-opt"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_hostile_pipelines_are_not(pipeline: str, tool: str) -> None:
    for flag in ("--pass-pipeline=", "-pass-pipeline ", "--my-pass-pipeline="):
        commands, said = decided(in_text("```\n{}\n```", f'{tool} {flag}"{pipeline}" --x a.mlir'))
        assert not any("victim" in word for words in commands for word in words)
        assert "victim" in said or "pipeline" in said
    section = f'{{-#\n mlir_reproducer: {{ pipeline: "{pipeline}" }}\n#-}}\n'
    assert hidden_in_reproducer(PROGRAM + section, KNOWN.get(tool, {}))


@pytest.mark.parametrize(
    ("command", "kept", "left_out"),
    [
        # The value of a flag may be the next word.
        ("mlir-opt --pass-pipeline 'any(cse)' a.mlir", "--pass-pipeline=any(cse)", ""),
        ("toy-opt --target gfx942 --depth 3 a.mlir", "--target=gfx942 --depth=3", ""),
        ("toy-opt --depth --quick a.mlir", "--quick", "--depth (its value is missing)"),
        # An option that names a file goes, the pass and its others stay.
        (
            "toy-opt --lower-toy='width=3 journal=x' a.mlir",
            "--lower-toy=width=3",
            "journal=x of lower-toy (what it names is not known)",
        ),
        # A pass that is left without what it was given does not run on something else.
        (
            "toy-opt --pass-pipeline='any(cse,dump-toy{place=x})' a.mlir",
            "--pass-pipeline=any(cse)",
            "dump-toy (nothing is left of what it is given)",
        ),
        # What is empty names nothing.
        (
            "mlir-opt --pass-pipeline='any(gpu-module-to-binary{format=isa  toolkit=})' a.mlir",
            "--pass-pipeline=any(gpu-module-to-binary{format=isa  toolkit=})",
            "",
        ),
        # The help does not know it: the program says so, or it selects a target.
        ("toy-opt --old-name --old-target=gfx942 a.mlir", "--old-name --old-target=gfx942", ""),
        ("py-opt --print-op-generic -p canonicalize,cse a.mlir", None, ""),
    ],
)
def test_what_is_taken(command: str, kept: str | None, left_out: str) -> None:
    commands, said = decided(in_text("```\n{}\n```", command))
    program, *flags = command.split()
    expected = flags[:-1] if kept is None else kept.split(" -")
    assert [commands[0][0], " ".join(commands[0][1:-1])] == [
        program,
        " ".join(expected) if kept is None else kept,
    ]
    assert left_out in said if left_out else not said


@pytest.mark.parametrize("known", [{}, KNOWN["mlir-opt"], KNOWN["iree-compile"]])
def test_a_pipeline_of_triton_is_taken_as_it_is(known: Known) -> None:
    """As in a public issue: every option of a pass is printed, also those that are empty."""
    pipeline = (
        "builtin.module(convert-triton-to-tritongpu{num-ctas=1 num-warps=8 target=cuda:120 "
        "threads-per-warp=32}, tritongpu-coalesce, canonicalize{  max-iterations=10 "
        "max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}, "
        "tt.func(tritongpu-pipeline{dump-intermediate-steps=false num-stages=4}), "
        "convert-triton-gpu-to-llvm{compute-capability=120 ptx-version=87 target=}, symbol-dce)"
    )
    words = ("triton-opt", f"--pass-pipeline={pipeline}", "{}")
    assert allowed(words, known) == Allowed(words)
    assert not hidden_in_reproducer(
        f'{{-# mlir_reproducer: {{ pipeline: "{pipeline}" }} #-}}', known
    )


def test_a_file_that_is_there_is_none_of_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its path would be made absolute, for the folder of the run."""
    monkeypatch.chdir(tmp_path)
    Path("gfx942").touch()
    decision = allowed(("toy-opt", "--target=gfx942", "{}"), KNOWN["toy-opt"])
    assert decision == Allowed(("toy-opt", "{}"), ("--target=gfx942 (it may name a file)",))


def test_a_reproducer_with_nothing_hidden() -> None:
    section = '{-#\n mlir_reproducer: { pipeline: "any(cse{a=1},canonicalize{ x=true})" }\n#-}\n'
    resources = '{-# dialect_resources: { builtin: { w: "0x0400/" } } #-}\n'
    other = '{-# external_resources: { tool: { note: "see /tmp/x" } } #-}\n'
    assert hidden_in_reproducer(PROGRAM + resources + other + section, KNOWN["mlir-opt"]) == ""


@pytest.mark.parametrize("command", [one for one in COMMANDS if REFUSED.search(one)])
def test_a_command_made_for_other_code_is_refused(command: str) -> None:
    (words,) = read_crash(in_text("// RUN: {}", command), Path("/nowhere/x.mlir")).commands
    assert allowed(words, KNOWN.get(words[0], {})).refused
