"""Is a difference between two results a defect, or is there no right result at all?

A reducer changes programs without knowing what they mean. Sooner or later it makes one that reads
uninitialised memory or an element that is not there, and then any two compilers differ and neither
is wrong. So a difference counts only if the reference's results are beyond doubt:

- the reference gives the same results when run again with other garbage in fresh memory;
- it gives the same results when every `tensor.empty` is filled with an odd value;
- *witnesses*, other ways to compile the same module, give the same results. vmvx is among them
  where that is possible: its interpreter checks the bounds of every access;
- all that holds for other dynamic sizes too: a module whose sizes have come apart may get away
  with it for one size, but not for a larger and a smaller one;
- the sizes agree that must be equal, as far as a walk over the module can tell (an *audit*, which
  who knows the IR provides): all compilers may read the same harmless thing beyond the end.

A guard must have held on the input; from then on it must hold on every candidate. One that cannot
be had for the input (another backend that cannot compile it) is left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from oracles.values.compare import Difference, compare
from oracles.values.execution import (
    ExecutionResult,
    Implementation,
    Poisoned,
    Program,
    RunContext,
    poisoned,
)
from oracles.values.programs import Function

Audit = Callable[[str, str, Sequence[str]], str]
"""Of a module's text, a function's name and its inputs: what is undefined about it, or ''."""

FIRST_GARBAGE, SECOND_GARBAGE = 85, 170
"""Bytes with alternating bits; as a float, as an integer and as an index they differ much."""


@dataclass(frozen=True)
class ComparisonCase:
    """A module with one function of it, the inputs, and what the reference answers to them."""

    text: str
    function: Function
    inputs: Sequence[str]
    expected: ExecutionResult
    tolerance: float | None = None
    finite_only: bool = False

    def agrees(self, result: ExecutionResult) -> bool:
        """Whether an answer is the expected one."""
        return not result.failure and not self.differences(result)

    def differences(self, result: ExecutionResult) -> list[Difference]:
        """What is wrong with an answer."""
        return compare(
            result.results,
            self.expected.results,
            tolerance=self.tolerance,
            finite_only=self.finite_only,
        )


class WitnessVerdict(StrEnum):
    """What a witness says of the reference's results."""

    AGREES = "agrees"
    DISAGREES = "gives different results than the reference"
    UNAVAILABLE = "cannot run it"


def is_stable(case: ComparisonCase, reference: Program, context: RunContext) -> bool:
    """Whether the reference gives the same results, to the last bit, with other garbage."""
    again = reference.call(case.function, case.inputs, context, garbage=SECOND_GARBAGE)
    return not again.failure and not compare(again.results, case.expected.results, tolerance=0.0)


class CrossCheck:
    """The witnesses' programs of one module, each built when it is first needed."""

    def __init__(self, text: str, folder: Path, context: RunContext) -> None:
        self._text = text
        self._folder = folder
        self._context = context
        self._programs: dict[str, Program | None] = {}

    def check(self, witness: Implementation, cases: Sequence[ComparisonCase]) -> WitnessVerdict:
        """What a witness says of all of the questions."""
        if isinstance(witness, Poisoned) and poisoned(self._text) is None:
            return WitnessVerdict.AGREES  # there is nothing uninitialised
        if witness.name not in self._programs:
            self._programs[witness.name] = witness.build(self._text, self._folder, self._context)
        program = self._programs[witness.name]
        if program is None:
            return WitnessVerdict.UNAVAILABLE
        for case in cases:
            result = program.call(case.function, case.inputs, self._context, garbage=FIRST_GARBAGE)
            if result.failure == "UNIMPLEMENTED":
                return WitnessVerdict.UNAVAILABLE
            if not case.agrees(result):
                return WitnessVerdict.DISAGREES
        return WitnessVerdict.AGREES
