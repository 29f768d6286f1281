"""Decide whether a difference between two results is a defect, or no result is defined at all.

A reducer changes programs without knowing what they mean. Sooner or later it produces one that
reads uninitialized memory or accesses out of bounds, for which any two compilers may differ and
neither is wrong. Therefore a difference counts only if the reference's results are beyond doubt:

- the reference gives the same results when run again with another fill pattern in fresh memory;
- it gives the same results when every `tensor.empty` is filled with a poison value;
- *witnesses*, other ways to compile the same module, give the same results. If possible, vmvx is
  one of them: its interpreter checks the bounds of every access;
- all of this also holds for other dynamic sizes: a module with inconsistent sizes may happen to
  work for one size, but not for a larger and a smaller one;
- sizes that must be equal are equal, as far as a walk over the module can tell (an *audit*,
  provided by a layer that knows the IR): all compilers may read the same harmless value out of
  bounds.

A guard that holds on the input must hold on every candidate. A guard that is not available for the
input (such as a backend that cannot compile it) is skipped.
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
"""What is undefined about a module, or ''; given its text, a function's name and its inputs."""

FIRST_GARBAGE, SECOND_GARBAGE = 85, 170
"""Fill bytes with alternating bits, far apart as floats, as integers and as indices."""


@dataclass(frozen=True)
class ComparisonCase:
    """A module, one of its functions, the inputs, and the reference's results for them."""

    text: str
    function: Function
    inputs: Sequence[str]
    expected: ExecutionResult
    tolerance: float | None = None
    finite_only: bool = False

    def agrees(self, result: ExecutionResult) -> bool:
        """Whether a result is the expected one."""
        return not result.failure and not self.differences(result)

    def differences(self, result: ExecutionResult) -> list[Difference]:
        """The differences between a result and the expected one."""
        return compare(
            result.results,
            self.expected.results,
            tolerance=self.tolerance,
            finite_only=self.finite_only,
        )


class WitnessVerdict(StrEnum):
    """Whether a witness confirms the reference's results."""

    AGREES = "agrees"
    DISAGREES = "gives different results than the reference"
    UNAVAILABLE = "cannot run it"


def is_stable(case: ComparisonCase, reference: Program, context: RunContext) -> bool:
    """Whether the reference gives bit-identical results with another fill pattern."""
    again = reference.call(case.function, case.inputs, context, garbage=SECOND_GARBAGE)
    return not again.failure and not compare(again.results, case.expected.results, tolerance=0.0)


class CrossCheck:
    """The witnesses' programs of one module, each built when first needed."""

    def __init__(self, text: str, folder: Path, context: RunContext) -> None:
        self._text = text
        self._folder = folder
        self._context = context
        self._programs: dict[str, Program | None] = {}

    def check(self, witness: Implementation, cases: Sequence[ComparisonCase]) -> WitnessVerdict:
        """The verdict of a witness on all of the cases."""
        if isinstance(witness, Poisoned) and poisoned(self._text) is None:
            return WitnessVerdict.AGREES  # nothing is uninitialized
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
