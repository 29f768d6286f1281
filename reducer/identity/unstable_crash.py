"""Unstable crashes: the same program fails in several ways, or not at all now and then.

A compiler that reads freed or uninitialized memory crashes wherever that leads. With a fixed
address space, which all programs have that we start, it often crashes in one place only. What the
stacks have in common is otherwise all that identifies the bug, and what still does not fail every
time is run as often as each verdict needs.
"""

import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from oracles import CompilerOracle, Oracle, Outcome, Signature
from oracles.base import capabilities_of
from oracles.run.limits import LAYOUTS
from oracles.run.orphan_reaper import LAYOUT_STEP
from oracles.run.reaper_client import FIXED_ADDRESSES, addresses_can_be_fixed
from oracles.signature.comparison import shows
from oracles.stacks.crash_stack import SIGNATURE_FRAMES
from reducer.errors import FlakyOracle
from reducer.search.sequential import Rate
from reducer.units import plural

NOW_FIXED = f"the command now starts with '{' '.join(FIXED_ADDRESSES)}', which fixes them"

CHEAP_SECONDS = 10.0
"""CPU seconds; a slower input is not run again as a whole."""

_FURTHER_RUNS = 4  # of a program that does not fail at first
_QUICK_SECONDS = 2.0  # CPU seconds of a run that is worth repeating then
_RUNS = 5
_FARTHEST_FIRST = (2, 1, 3)  # layouts, by how far they are from the first

ADVICE = (
    "make it deterministic if possible (try --mlir-disable-threading), or pass --flaky to repeat "
    "runs as often as each verdict needs"
)
"""What helps where the same text does not always fail alike."""

_LEAST_SHARE = 0.25
"""The most frequent failure's share of all failures below which none of them is the failure."""


@dataclass(frozen=True)
class RepeatedRuns:
    """Outcomes of the same program, in order."""

    outcomes: tuple[Outcome, ...]

    def rate(self, target: Signature) -> Rate:
        """The rate of this failure."""
        failed = sum(shows(target, outcome) for outcome in self.outcomes)
        return Rate(failed, len(self.outcomes))

    def first(self, target: Signature) -> Outcome:
        """The first outcome with this signature; StopIteration if there is none."""
        return next(outcome for outcome in self.outcomes if shows(target, outcome))

    def text(self, target: Signature) -> str:
        """A one-line summary of the outcomes."""
        return f"'{target.text}' in {self.rates(target)}"

    def rates(self, target: Signature) -> str:
        """How often this failure occurs, and what else does."""
        others = Counter(
            outcome.signature.text for outcome in self.outcomes if not shows(target, outcome)
        )
        rest = "; ".join(f"'{text}' in {count}" for text, count in others.most_common(3))
        return f"{self.rate(target)}" + (f", {rest}" if rest else "")


def in_several_runs(
    first: Outcome, run: Callable[[int], Outcome], fails: Callable[[Outcome], bool]
) -> tuple[Outcome, int]:
    """The outcome of the first run that fails, or of the very first; and after how many runs.

    A quick program that does not fail is run again, by the number of the run, from 1.
    """
    outcome, number = first, 0
    while not fails(outcome) and number < _FURTHER_RUNS and first.cpu_seconds <= _QUICK_SECONDS:
        number += 1
        outcome = run(number)
    return outcome if fails(outcome) else first, number + 1


def most_telling(
    first: Outcome, run: Callable[[int], Outcome], fails: Callable[[Outcome], bool]
) -> tuple[Outcome, int]:
    """A quick program's outcome that says more than the first one, and in which layout.

    A lack of time or memory says little of what is wrong, and an error that is a crash elsewhere is
    what a bad access makes of it. If nothing says more, these are the `first` outcome and layout.
    """
    said = _how_much(first, fails)
    says_little = said < _MESSAGE
    layouts = _FARTHEST_FIRST[: None if says_little else said == _MESSAGE]
    seconds = CHEAP_SECONDS if says_little else _QUICK_SECONDS
    if first.exit_code is None or first.cpu_seconds > seconds:
        return first, 0
    for layout in layouts:
        outcome = run(layout)
        if _how_much(outcome, fails) > max(said, _LACK):
            return outcome, layout
    return first, 0


_LACK, _MESSAGE = 1, 2


def _how_much(outcome: Outcome, fails: Callable[[Outcome], bool]) -> int:
    """How much an outcome says of what is wrong: nothing, a lack, a message, or a crash."""
    traits = outcome.kind.traits
    return fails(outcome) * (_LACK + (not traits.costly) + traits.known_by_stack)


def elsewhere(first: Outcome) -> str:
    """Says what an input shows in the first layout, if another one is preferred."""
    return (
        "how the input fails depends on where its stack lies: elsewhere it is "
        f"'{first.signature.text}'"
    )


@dataclass(frozen=True)
class Spread:
    """What an input shows in several runs: with fixed addresses, and as a user runs it."""

    fixed: RepeatedRuns
    random: RepeatedRuns = RepeatedRuns(())

    @classmethod
    def of(
        cls,
        first: Outcome,
        target: Signature,
        run: Callable[[int, int | None], Outcome],
        layout: int | None = 0,
    ) -> "Spread":
        """Run an input three times more if what memory contains may decide how it fails.

        What only reports an error, in little time, is run once more, in another layout.

        Args:
            first: its outcome with fixed addresses.
            target: the failure to look for.
            run: runs it by a number, from 1, in a layout (see `Limits`).
            layout: that of the first run.
        """
        dies = first.kind.traits.aborts or first.kind.traits.out_of_memory
        if first.exit_code is None or first.cpu_seconds > CHEAP_SECONDS:
            return cls(RepeatedRuns((first,)))
        if not dies:
            is_quick = first.cpu_seconds <= _QUICK_SECONDS
            return cls(RepeatedRuns((first, *([run(0, _FARTHEST_FIRST[0])] if is_quick else []))))
        fixed, random = [first], [run(1, None), run(2, None)]
        is_alike = all(shows(target, one) for one in random)
        (random if is_alike else fixed).append(run(3, None if is_alike else layout))
        if not addresses_can_be_fixed():
            fixed, random = [*fixed, *random], []
        return cls(RepeatedRuns(tuple(fixed)), RepeatedRuns(tuple(random)))

    def text(self, target: Signature) -> str:
        """How often an input fails in this way, if that depends on its addresses; else ''."""
        rates = self.fixed.rate(target), self.random.rate(target)
        if all(rate.failed == rate.runs for rate in rates):
            return ""
        if not self.random.outcomes:  # addresses cannot be fixed here
            return f"the input fails in this way in {self.fixed.rates(target)}"
        return (
            f"the input fails in this way in {self.fixed.rates(target)} with fixed addresses, and "
            f"in {self.random.rates(target)} with addresses that vary"
        )


class VaryingCrash(FlakyOracle):
    """The same text crashed, but not always alike; `outcomes` are those of runs of `text`."""

    def __init__(
        self, message: str, text: str, outcomes: Sequence[Outcome], *, is_steady_enough: bool
    ) -> None:
        super().__init__(message, is_steady_enough=is_steady_enough)
        self.text = text
        self.outcomes = tuple(outcomes)


def flaky_error(
    message: str, text: str, target: Signature, outcomes: Sequence[Outcome]
) -> FlakyOracle:
    """The error for a text that did not always have the target failure."""
    failures = [one.signature for one in outcomes if one.failed]
    counts = Counter(failures)
    enough = bool(counts) and counts.most_common(1)[0][1] >= _LEAST_SHARE * len(failures)
    if not enough:
        message += f"; {ADVICE}"
    if target.kind.traits.known_by_stack and not target.varies:
        return VaryingCrash(message, text, outcomes, is_steady_enough=enough)
    return FlakyOracle(message, is_steady_enough=enough)


@dataclass(frozen=True)
class Steadied:
    """An oracle and a signature with which a crash that varies can be reduced.

    Attributes:
        message: says to the user what is taken for the same failure from now on, and why.
        passes: whether it does not occur in every run even so.
    """

    oracle: CompilerOracle
    signature: Signature
    message: str
    passes: bool = False


def steady(
    oracle: Oracle, crash: VaryingCrash, source: str, cancel: threading.Event
) -> Steadied | None:
    """A way to reduce a crash that varies; None if its runs have nothing in common.

    Args:
        source: the input of the reduction, which must have the failure as well.
    """
    if (compiler := capabilities_of(oracle).failures) is None:
        return None
    seen = [one for one in crash.outcomes if one.kind.traits.known_by_stack]
    places = len({one.signature for one in seen})
    common, limits = in_common(seen), replace(compiler.limits, layout=None)
    if common is None or not any(
        shows(common, compiler.run(source, cancel=cancel, limits=limits)) for _ in range(_RUNS)
    ):
        return None
    said = f"{_varies(crash.outcomes, places)}; any '{common.text}' counts as the same failure"
    return Steadied(compiler, common, said, passes=len(seen) < len(crash.outcomes))


def _varies(outcomes: Sequence[Outcome], places: int) -> str:
    passed = sum(not one.failed for one in outcomes)
    rest = f" and passed in {passed}" if passed else ""
    return f"the same program crashed in {plural(places, 'way')} in {len(outcomes)} runs{rest}"


def in_common(outcomes: Iterable[Outcome]) -> Signature | None:
    """The signature that all runs share; None if one does not crash, or they have no function."""
    first, *others = outcomes
    if any(not one.kind.traits.known_by_stack for one in (first, *others)):
        return None
    if {one.signature.template for one in others} - {first.signature.template}:
        return None
    shared = [frame for frame in first.stack if all(frame in one.stack for one in others)]
    if not shared:
        return None
    frames = tuple(shared[:SIGNATURE_FRAMES])
    return replace(first.signature, frames=frames, stage="", details=(), varies=True)


def with_fixed_addresses(oracle: Oracle) -> Oracle | None:
    """The oracle whose command has fixed addresses for everybody; None if there is no such one."""
    command = oracle.command
    if command is None or FIXED_ADDRESSES[0] in command.launcher or not addresses_can_be_fixed():
        return None
    if shutil.which(FIXED_ADDRESSES[0]) is None:
        return None
    return oracle.with_command(replace(command, launcher=(*FIXED_ADDRESSES, *command.launcher)))


def in_other_layouts(oracle: Oracle) -> Iterator[Oracle]:
    """The oracles of a command with fixed addresses whose variable moves the stack, step by step.

    Where it is without one depends on the shell.
    """
    if (command := oracle.command) is None or FIXED_ADDRESSES[0] not in command.launcher:
        return
    for number in range(LAYOUTS):
        variable = f"STACK={'-' * (LAYOUT_STEP * number)}"
        yield oracle.with_command(replace(command, launcher=("env", variable, *command.launcher)))
