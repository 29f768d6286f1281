"""What keeps a candidate cheap: stop the compiler after the failing phase, and limit each run.

A candidate on which nothing fails pays for the whole compilation, and most candidates are of that
kind. Stopped right after the failing phase, they never pay for code generation and linking.

A candidate is smaller than the best, so it should take no longer; one that does hangs, and each
hang costs the whole limit. Both limits come from outcomes in the journal and change only when
something is accepted, while no candidate runs: a resumed reduction walks through the same ones,
and so does one with more workers. They never grow, so what was a hang stays one.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from oracles import CompilerOracle, Limits, Oracle, Outcome
from oracles.profiles import Phases
from reducer.ir import Document
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator

Memoize = Callable[[str, str, Callable[[], str]], str]
"""Gives what was made for a purpose and a text before, or makes it now."""


class EarlyStopDiverged(Exception):
    """What the shortened command accepted does not fail under the full one."""


def _make(purpose: str, text: str, make: Callable[[], str]) -> str:
    return make()


def find_shortest(
    evaluator: Evaluator, document: Document, memoize: Memoize = _make
) -> Oracle | None:
    """The shortest oracle that sees the failure of a document; None if only the full one does.

    A failure in one phase is seen by that phase's oracle and all later ones. Where the compiler
    tells which phases it finished, one run of it and at most one of the oracle are enough;
    otherwise, or if that oracle does not see the failure, the phases are bisected.
    """
    oracles: Sequence[Oracle] = evaluator.oracle.shortened()
    passing, failing = -1, len(oracles)
    guess = _guess(evaluator, document, memoize) if oracles else failing
    if guess == failing:
        return None
    while failing - passing > 1:
        middle = guess if passing < guess < failing else (passing + failing) // 2
        if _fails(evaluator, oracles[middle], document):
            failing = middle
            if middle == guess:
                break
        else:
            passing = middle
    return oracles[failing] if failing < len(oracles) else None


def failing_phase(evaluator: Evaluator, document: Document, memoize: Memoize = _make) -> str:
    """The compiler's phase in which a document fails; '' where it has none or does not tell."""
    phases = stoppable_phases(evaluator.oracle)
    guess = _guess(evaluator, document, memoize)
    return phases.names[guess] if phases and 0 <= guess < len(phases.names) else ""


def stoppable_phases(oracle: Oracle) -> Phases | None:
    """The phases after which a compiler's command can be stopped."""
    return oracle.phases if isinstance(oracle, CompilerOracle) else None


def _guess(evaluator: Evaluator, document: Document, memoize: Memoize) -> int:
    """The number of the failing phase by what the compiler wrote after each; -1 if it wrote none.

    A compiler that knows no such flag, or that fails in the first phase, writes nothing.
    """
    oracle = evaluator.oracle
    phases = stoppable_phases(oracle)
    if not isinstance(oracle, CompilerOracle) or phases is None:
        return -1

    def finished() -> str:
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            with evaluator.using_oracle(oracle.with_extra_flags([f"{phases.dump_flag}={folder}"])):
                outcome = evaluator.run(document.text, document.op_count)
            same = evaluator.judge(outcome) is Verdict.SAME
            done = phases.dumped(Path(folder))
        return str(sum(name in done for name in phases.names) if same else -1)

    return int(memoize("finished phases", document.text, finished))


def _fails(evaluator: Evaluator, oracle: Oracle, document: Document) -> bool:
    with evaluator.using_oracle(oracle):
        outcome = evaluator.run(document.text, document.op_count)
    return evaluator.judge(outcome) is Verdict.SAME


_SLOWDOWN_FACTOR = 4  # a candidate may take so many times as long as the best…
_MIN_SECONDS = 30.0  # …and at least so many seconds, whatever else the machine has to do


class TimeLimit:
    """Keeps the limits of an evaluator; `given` are those that the user set."""

    def __init__(self, evaluator: Evaluator, given: Limits, first: Outcome) -> None:
        self._evaluator = evaluator
        self._adapts = not first.kind.traits.out_of_time  # that limit defines the failure itself
        evaluator.limits = given
        if self._adapts:
            self._tighten(first)

    def adapt(self, document: Document) -> None:
        """The full command fails on a smaller document now."""
        outcome = self._evaluator.known(document.text)
        if outcome is not None and self._adapts:
            self._tighten(outcome)

    def _tighten(self, outcome: Outcome) -> None:
        self._evaluator.limits = tightened(self._evaluator.limits, outcome)


def tightened(limits: Limits, outcome: Outcome) -> Limits:
    """What a smaller program than that of the outcome may use, and no more than before."""
    return replace(
        limits,
        seconds=_tighter(limits.seconds, outcome.seconds),
        cpu=_tighter(limits.cpu, outcome.cpu_seconds),
    )


def _tighter(limit: float | None, seconds: float) -> float:
    derived = max(_MIN_SECONDS, _SLOWDOWN_FACTOR * seconds)
    return derived if limit is None else min(limit, derived)
