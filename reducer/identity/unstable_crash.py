"""Unstable crashes: the same program fails in several ways, or not at all now and then.

A compiler that reads freed or uninitialized memory crashes wherever that leads. What the stacks
have in common is then all that identifies the bug. With a fixed address space, it often crashes in
one place only. What still does not fail every time is run as often as each verdict needs.
"""

import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from oracles import CompilerOracle, Oracle, Outcome, Signature
from oracles.base import capabilities_of
from oracles.signature.comparison import shows
from oracles.stacks.crash_stack import SIGNATURE_FRAMES
from reducer.errors import FlakyOracle
from reducer.units import plural

FIXED_ADDRESSES = ("setarch", "-R")
"""What starts a program without address-space randomization."""

_RUNS = 5

ADVICE = (
    "make it deterministic if possible (try --mlir-disable-threading), or pass --flaky to repeat "
    "runs as often as each verdict needs"
)
"""What helps where the same text does not always fail alike."""

_LEAST_SHARE = 0.25
"""The most frequent failure's share of all failures below which none of them is the failure."""


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
    fixed = _with_fixed_addresses(compiler)
    if fixed is not None:
        again = [fixed.run(crash.text, cancel=cancel) for _ in range(_RUNS)]
        common = in_common([*seen, *again])
        alike = common is not None and len({one.signature for one in again}) == 1
        if common is not None and alike and shows(common, fixed.run(source, cancel=cancel)):
            return Steadied(
                fixed,
                common,
                f"{_varies(crash.outcomes, places)}; all {_RUNS} runs with "
                f"'{' '.join(FIXED_ADDRESSES)}', which turns off address-space randomization, "
                f"crashed alike, so the command now starts with it, and any '{common.text}' counts "
                "as the same failure",
            )
    common = in_common(seen)
    if common is None or not any(
        shows(common, compiler.run(source, cancel=cancel)) for _ in range(_RUNS)
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


def _with_fixed_addresses(oracle: CompilerOracle) -> CompilerOracle | None:
    """The oracle with a fixed address space; None if it has one or the system forbids it."""
    launcher = oracle.command.launcher
    if FIXED_ADDRESSES[0] in launcher or shutil.which(FIXED_ADDRESSES[0]) is None:
        return None
    tried = subprocess.run([*FIXED_ADDRESSES, "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        return None
    return oracle.with_command(replace(oracle.command, launcher=(*FIXED_ADDRESSES, *launcher)))
