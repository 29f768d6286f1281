"""Is a difference between two results a defect, or is there no right result at all?

A reducer changes programs without knowing what they mean. Sooner or later it makes one that reads
uninitialised memory or an element that is not there, and then any two compilers differ and neither
is wrong. So a difference counts only if the reference's results are beyond doubt:

- the reference gives the same results when run again with other garbage in fresh memory;
- it gives the same results when every `tensor.empty` is filled with an odd value;
- *witnesses*, other ways to compile the same module, give the same results. vmvx is among them
  where that is possible: its interpreter checks the bounds of every access.

A guard must have held on the input; from then on it must hold on every candidate. One that cannot
be had for the input (another backend that cannot compile it) is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from oracles.values.abi import Function
from oracles.values.compare import compare
from oracles.values.poison import poisoned
from oracles.values.run import Answer, Costs, Poisoned, Program, Side

FIRST_GARBAGE, SECOND_GARBAGE = 85, 170
"""Bytes with alternating bits; as a float, as an integer and as an index they differ much."""


@dataclass(frozen=True)
class Question:
    """A module with one function of it, the inputs, and what the reference answers to them."""

    text: str
    function: Function
    inputs: Sequence[str]
    expected: Answer
    tolerance: float | None = None
    finite_only: bool = False

    def agrees(self, answer: Answer) -> bool:
        """Whether an answer is the expected one."""
        return not answer.failure and not compare(
            answer.results,
            self.expected.results,
            tolerance=self.tolerance,
            finite_only=self.finite_only,
        )


class Testimony(StrEnum):
    """What a witness says of the reference's results."""

    AGREES = "agrees"
    DISAGREES = "gives other results than the reference"
    SILENT = "cannot run it"


def doubt(
    question: Question,
    reference: Program,
    witnesses: Sequence[Side],
    folder: Path,
    costs: Costs,
) -> str:
    """Why the expected results may not be the only right ones; '' if nothing speaks for that."""
    if not is_stable(question, reference, costs):
        return "the reference gives different results from run to run"
    for witness in witnesses:
        said = testimony(witness, question, folder, costs)
        if said is not Testimony.AGREES:
            return f"{witness.name} {said}"
    return ""


def is_stable(question: Question, reference: Program, costs: Costs) -> bool:
    """Whether the reference gives the same results, to the last bit, with other garbage."""
    again = reference.call(question.function, question.inputs, costs, garbage=SECOND_GARBAGE)
    return not again.failure and not compare(
        again.results, question.expected.results, tolerance=0.0
    )


def testimony(witness: Side, question: Question, folder: Path, costs: Costs) -> Testimony:
    """Asks one witness."""
    if isinstance(witness, Poisoned) and poisoned(question.text) is None:
        return Testimony.AGREES  # there is nothing uninitialised
    program = witness.build(question.text, folder, costs)
    if program is None:
        return Testimony.SILENT
    answer = program.call(question.function, question.inputs, costs, garbage=FIRST_GARBAGE)
    if answer.failure:
        return Testimony.SILENT if answer.failure == "UNIMPLEMENTED" else Testimony.DISAGREES
    return Testimony.AGREES if question.agrees(answer) else Testimony.DISAGREES
