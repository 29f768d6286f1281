"""Compilers and an evaluator that do as the module says, to decide who is believed.

A line `NAME: 2xi32=1 2` of the "module" is what the program gives that NAME compiled; GARBAGE in it
stands for the contents of fresh memory, SYNC for whether there is one thread, and no line means
that NAME cannot compile it.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracles import Command
from reducer.miscompile.oracle import Comparison, CompilerConfig, Poisoned, ValuesOracle
from reducer.miscompile.oracle.execution import CallableProgram, ExecutionResult, RunContext
from reducer.miscompile.values.programs import Value, ValueType, read_results

HEAD = "sync func @f(%input0: tensor<2xi32>) -> (%output0: tensor<2xi32>)\n"
WRONG = HEAD + "candidate: 2xi32=1 2\nreference: 2xi32=1 3\nwitness: 2xi32=1 3\n"


class Lab:
    """Fake compilers in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def side(self, name: str) -> CompilerConfig:
        compiler, runtime = self.folder / f"{name}-compile", self.folder / f"{name}-run"
        compiler.write_text(
            f"#!/bin/sh\necho >> '{compiler}.log'\n"
            f'grep -q "^{name}: " "$1" || exit 1\ncp "$1" "$3"\n'
        )
        runtime.write_text(
            "#!/bin/sh\nprogram=${1#--module=}\necho 'result[0]: hal.buffer_view'\n"
            f"sync=$(echo $* | tee -a '{runtime}.log' | grep -c local-sync)\n"
            f's="s/GARBAGE/$MALLOC_PERTURB_/; s/SYNC/$sync/; s/^{name}: //p"\n'
            'sed -n "$s" "$program" | tee line\n'
            "! grep -q fails line\n"
        )
        for path in (compiler, runtime):
            path.chmod(0o755)
        return CompilerConfig(name, Command.parse([compiler.name, "{}"]), compiler, runtime)

    def compiled(self, name: str) -> int:
        """How often a side was asked for a program."""
        log = self.folder / f"{name}-compile.log"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def oracle(self, text: str, *, required: bool = False) -> ValuesOracle:
        reference, witness = self.side("reference"), self.side("witness")
        comparison = Comparison(
            self.side("candidate"),
            reference,
            required=(witness,) if required else (),
            witnesses=(Poisoned(reference), *(() if required else (witness,))),
        )
        return ValuesOracle(comparison, text)


@dataclass(frozen=True)
class Meaning:
    """An evaluator that finds what a program means in a line of it.

    `meaning: 2xi32=1 2`, `meaning: undefined WHY`, `meaning: unknown OP`, or `meaning: hazard WHY`
    (which means `2xi32=1 3`, if it does not fail); `meaning: loose` is `2xi32=1 3` with the second
    element undefined.
    """

    name: str = "the evaluator"
    key: str = "the evaluator"
    is_lowered: bool = False
    lowered_ops: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list, compare=False)

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        told = [line for line in text.splitlines() if line.startswith("meaning: ")]
        if not told:
            return None
        words = told[0].removeprefix("meaning: ")
        return Meant(words, self.is_lowered, self.lowered_ops, self.asked)


@dataclass(frozen=True)
class Meant:
    """A program that means what the words say."""

    words: str
    is_lowered: bool = False
    lowered_ops: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list, compare=False)

    def call(self, *_: Any, once: bool = False, **__: Any) -> ExecutionResult:
        self.asked.append("once" if once else "whole")
        head, _, rest = self.words.partition(" ")
        if head == "undefined":
            return ExecutionResult(undefined=rest)
        if head == "hazard":
            return ExecutionResult((Value(ValueType("i32", (2,)), (1, 3)),), hazards=(rest,))
        if head == "loose":
            return ExecutionResult((Value(ValueType("i32", (2,)), (1, 3), (True, False)),))
        if head == "unknown":
            return ExecutionResult(unsupported=(rest,))
        return ExecutionResult(tuple(read_results(f"result[0]: hal.buffer_view\n{self.words}")))
