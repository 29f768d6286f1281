"""Sides of a comparison that record what they are asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oracles.values.execution import Batched, ExecutionResult, RunContext
from oracles.values.programs import Function


@dataclass
class RecordingProgram:
    """A program, and the inputs of each question to it."""

    behind: Batched
    asked: list[list[list[str]]] = field(default_factory=list)

    def call(
        self, function: Function, inputs: Sequence[str], context: RunContext, *, garbage: int
    ) -> ExecutionResult:
        return self.calls(function, [inputs], context)[0]

    def calls(
        self, function: Function, each: Sequence[Sequence[str]], context: RunContext
    ) -> list[ExecutionResult]:
        self.asked.append([list(inputs) for inputs in each])
        return self.behind.calls(function, each, context)


class Recording:
    """Makes the same program of every module."""

    name = key = "recording"

    def __init__(self, behind: Batched) -> None:
        self.program = RecordingProgram(behind)

    def build(self, text: str, folder: Path, context: RunContext) -> RecordingProgram:
        return self.program
