"""The evaluator and two compiler backends agree on small programs."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from oracles import Command, Limits
from reducer.miscompile.interpreter.answers import Evaluation
from reducer.miscompile.interpreter.evaluate import Calls
from reducer.miscompile.oracle import CompilerConfig
from reducer.miscompile.oracle.execution import ExecutionResult, RunContext
from reducer.miscompile.values.compare import compare
from reducer.miscompile.values.inputs import STYLES, Trial, ValueStyle
from reducer.miscompile.values.programs import exported_functions
from reducer.toolchain import Toolchain, install
from tests.support.evaluating import generic, program_text

pytestmark = [pytest.mark.iree, pytest.mark.slow]


def unary(name: str, kind: str) -> str:
    return f"""
func.func @{name.replace(".", "_")}_{kind}(%a: tensor<7x{kind}>) -> tensor<7x{kind}> {{
  %r = {name} %a : tensor<7x{kind}>
  return %r : tensor<7x{kind}>
}}"""


def binary(name: str, kind: str) -> str:
    return f"""
func.func @{name.replace(".", "_")}_{kind}(%a: tensor<7x{kind}>, %b: tensor<7x{kind}>)
    -> tensor<7x{kind}> {{
  %r = {name} %a, %b : tensor<7x{kind}>
  return %r : tensor<7x{kind}>
}}"""


def cast(name: str, before: str, after: str) -> str:
    return f"""
func.func @{name.replace(".", "_")}_{before}_{after}(%a: tensor<7x{before}>) -> tensor<7x{after}> {{
  %r = {name} %a : tensor<7x{before}> to tensor<7x{after}>
  return %r : tensor<7x{after}>
}}"""


SIMPLE = [
    *(unary(f"math.{name}", "f32") for name in (
        "absf", "ceil", "cos", "exp", "floor", "sin", "tanh", "roundeven", "erf", "atan",
    )),
    *(binary(f"arith.{name}", "f32") for name in ("addf", "subf", "mulf", "maximumf", "minimumf")),
    *(
        binary(f"arith.{name}", kind)
        for name, kinds in {
            "addi": ("i8", "i16"), "subi": ("i32", "i64"), "muli": ("i8", "i64"), "ori": ("i16",),
            "andi": ("i32",), "xori": ("i64",), "maxsi": ("i8", "i16"), "minui": ("i16", "i32"),
        }.items()
        for kind in kinds
    ),
    binary("arith.addf", "f16"),
    binary("arith.mulf", "f64"),
    cast("arith.extsi", "i8", "i32"),
    cast("arith.extui", "i16", "i64"),
    cast("arith.trunci", "i32", "i8"),
    cast("arith.sitofp", "i32", "f32"),
    cast("arith.extf", "f16", "f32"),
    cast("arith.truncf", "f32", "f16"),
    unary("math.absi", "i32"),
    unary("math.ctpop", "i32"),
]  # fmt: skip

STRUCTURED = program_text("agreement")

NOT_COMPILED = {"llvm-cpu": ("nothing",), "vmvx": ("f16", "ctpop")}
"""Functions that a backend does not know."""


def program(backend: str) -> str:
    simple = (one for one in SIMPLE if not any(word in one for word in NOT_COMPILED[backend]))
    return "\n".join([*simple, STRUCTURED])


@pytest.mark.parametrize("backend", list(NOT_COMPILED))
def test_the_evaluator_agrees_with(
    iree_toolchain: Callable[..., Toolchain], backend: str, tmp_path: Path
) -> None:
    tools = install(iree_toolchain().version, runtime=True)
    assert not _told(tools, backend, program(backend), STYLES[:3], tmp_path)


def _told(
    tools: Toolchain, backend: str, text: str, styles: Sequence[ValueStyle], folder: Path
) -> list[str]:
    """What the evaluator calls wrong about the compiled functions of a healthy module."""
    command = Command(("iree-compile", f"--iree-hal-target-backends={backend}", "{}"))
    compiler = CompilerConfig(backend, command, tools.compile, tools.run_module, "local-sync")
    context = RunContext(Limits(600, 8 << 30))
    outcome, compiled = compiler.compile(text, folder / "all.vmfb", context)
    assert outcome.succeeded, outcome.stderr[:2000]
    meaning = generic(tools, text)
    told = []
    for function in exported_functions(compiled.path):
        for style in styles:
            inputs = Trial(style).inputs(function)
            assert inputs is not None
            Calls(meaning, function.name).answer(inputs).write(folder / "answer")
            ours = Evaluation.read(folder / "answer")
            if ours.undefined:
                continue
            theirs = compiled.call(function, inputs, context, garbage=0)
            told += _differences(f"@{function.name}({', '.join(inputs)[:200]})", theirs, ours)
    return told


_UNARY = (
    "math.exp", "math.tanh", "math.sqrt", "math.absf", "math.floor", "math.ceil", "math.sin",
    "math.cos", "math.rsqrt", "math.log1p", "math.erf", "arith.negf",
)  # fmt: skip
_BINARY = (
    "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf",
)  # fmt: skip


def chain(number: int, source: random.Random) -> str:
    """A function of a few float ops after one another, which may amplify any rounding."""
    element = source.choice(["f32", "f32", "f16"])
    kind, row = f"tensor<4x6x{element}>", f"tensor<4x{element}>"
    lines = [f"func.func @chain{number}(%v0: {kind}, %v1: {kind}) -> {kind} {{"]
    last = 1
    for last in range(2, 2 + source.randint(2, 6)):
        a, b = (f"%v{source.randrange(last)}" for _ in range(2))
        which = source.random()
        if which < 0.4:
            lines.append(f"%v{last} = {source.choice(_UNARY)} {a} : {kind}")
        elif which < 0.8:
            lines.append(f"%v{last} = {source.choice(_BINARY)} {a}, {b} : {kind}")
        elif which < 0.9:
            lines.append(f"%c{last} = arith.cmpf olt, {a}, {b} : {kind}")
            lines.append(f"%v{last} = arith.select %c{last}, {a}, {b} : tensor<4x6xi1>, {kind}")
        else:
            lines += [
                f"%z{last} = arith.constant dense<0.0> : {row}",
                f"%r{last} = linalg.reduce {{ arith.addf }} ins({a} : {kind})",
                f"  outs(%z{last} : {row}) dimensions = [1]",
                f"%e{last} = tensor.empty() : {kind}",
                f"%v{last} = linalg.broadcast ins(%r{last} : {row}) outs(%e{last} : {kind})",
                "  dimensions = [1]",
            ]
    return "\n".join([*lines, f"return %v{last} : {kind}", "}"])


def test_rounding_is_never_called_wrong(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    source = random.Random(7)
    text = "\n".join(chain(number, source) for number in range(20))
    tools = install(iree_toolchain().version, runtime=True)
    # Without special values: the backend flushes subnormal numbers of f16.
    assert not _told(tools, "llvm-cpu", text, STYLES[:3], tmp_path)


def _differences(where: str, theirs: ExecutionResult, ours: ExecutionResult) -> list[str]:
    for result in (ours, theirs):
        if result.failure or result.undefined or result.unsupported:
            return [f"{where}: {result.failure} {result.undefined} {result.unsupported}"]
    return [f"{where}: {one.text}" for one in compare(theirs.results, ours.results)]
