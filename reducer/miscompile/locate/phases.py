"""Find the first phase of a compiler whose IR means something else than the program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reducer.miscompile.oracle.execution import ExecutionResult


@dataclass(frozen=True)
class WrongPhase:
    """The first wrong phase and its flaw, and the last right one before it; '' if unknown."""

    phase: str = ""
    flaw: str = ""
    before: str = ""


def first_wrong(phases: Sequence[str], flaw: Callable[[str], str | None]) -> WrongPhase:
    """Bisect the phases; those for which `flaw` is None are left out.

    What is wrong stays wrong, so if the last phase is right, all of them are.
    """
    left = list(phases)
    while left and (last := flaw(left[-1])) is None:
        left.pop()
    if not left:
        return WrongPhase()
    if not last:
        return WrongPhase(before=left[-1])
    right, wrong = -1, len(left) - 1
    while wrong - right > 1:
        middle = (right + wrong) // 2
        found = flaw(left[middle])
        if found is None:
            del left[middle]
            wrong -= 1
        elif found:
            wrong, last = middle, found
        else:
            right = middle
    return WrongPhase(left[wrong], last, left[right] if right >= 0 else "")


def loses(expected: ExecutionResult, result: ExecutionResult) -> bool:
    """Whether an element is undefined that should have a value."""
    pairs = zip(expected.results, result.results, strict=False)
    return any(
        not has and (was is None or was[place])
        for was, now in ((one.defined, other.defined) for one, other in pairs)
        for place, has in enumerate(now or ())
    )
