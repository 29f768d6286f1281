"""Measures how often something fails, and says what to do about a failure that comes and goes."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from oracles import Outcome, Signature
from reducer.search.sequential import Rate, SequentialTest

ENOUGH = 5
"""Failures after which a rate is known well enough: within a factor of about two."""

TOLD = 10
"""Runs that a message about a flaky failure is based on, where each is quick."""

_ADVICE = (
    "to reduce it all the same, with as many runs as each verdict needs: --flaky; better make it "
    "deterministic if that is possible (try --mlir-disable-threading)"
)


@dataclass(frozen=True)
class Flakiness:
    """How often the input failed, and how often the result does."""

    input: Rate
    result: Rate | None = None


@dataclass(frozen=True)
class Measured:
    """Outcomes of the same program, in order."""

    outcomes: tuple[Outcome, ...]

    def rate(self, wanted: Signature) -> Rate:
        """How often it failed in this way."""
        failed = sum(outcome.signature == wanted for outcome in self.outcomes)
        return Rate(failed, len(self.outcomes))

    def first(self, wanted: Signature) -> Outcome:
        """The first outcome of this kind; StopIteration if there is none."""
        return next(outcome for outcome in self.outcomes if outcome.signature == wanted)

    def text(self, wanted: Signature) -> str:
        """All of it in one line."""
        others = Counter(
            outcome.signature.text for outcome in self.outcomes if outcome.signature != wanted
        )
        rest = "; ".join(f"'{text}' in {count}" for text, count in others.most_common(3))
        return f"'{wanted.text}' in {self.rate(wanted)}" + (f", {rest}" if rest else "")


def measure(run: Callable[[int], Outcome], wants: Callable[[Outcome], bool], most: int) -> Measured:
    """Runs something, each run with its number from 0 on, until it has failed `ENOUGH` times.

    What counts is how often it failed in the way that is most frequent so far.
    """
    outcomes: list[Outcome] = []
    while len(outcomes) < most:
        outcomes.append(run(len(outcomes)))
        wanted = most_frequent(outcomes, wants)
        if wanted is not None and Measured(tuple(outcomes)).rate(wanted).failed >= ENOUGH:
            break
    return Measured(tuple(outcomes))


def most_frequent(
    outcomes: list[Outcome] | tuple[Outcome, ...], wants: Callable[[Outcome], bool]
) -> Signature | None:
    """The failure that came most often, of equally frequent ones the first; None if none came."""
    counts = Counter(outcome.signature for outcome in outcomes if wants(outcome))
    return counts.most_common(1)[0][0] if counts else None


def complaint(measured: Measured, wanted: Signature, what: str) -> str:
    """What to tell people whose failure comes and goes; `what` is what was run."""
    return f"{what} does not fail every time: {measured.text(wanted)}; {_ADVICE}"


def measure_with(test: SequentialTest, fails: Callable[[], bool]) -> tuple[Rate, bool]:
    """Runs something until a test is decided, and if that takes it, until the rate is known too."""
    rate = Rate()
    while (taken := test.decide(rate)) is None:
        rate = rate.after(fails())
    while taken and rate.failed < ENOUGH and rate.runs < test.most_runs:
        rate = rate.after(fails())
    return rate, taken
