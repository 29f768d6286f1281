"""What one run of a command shows: the failure that a reduction would preserve."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from oracles import Limits, Outcome, Signature
from oracles.base import capabilities_of
from oracles.signature.comparison import shows
from reducer.asking import Stopped
from reducer.driver.failing import FailingProgram
from reducer.identity.advice import EMPTY_MODULE
from reducer.identity.unstable_crash import Spread, elsewhere, in_several_runs, most_telling
from reducer.locate.blame import Blame, Certainty, pass_blame
from reducer.search.query import tightened

PART = "input.mlir"
"""How a program is called that is only a part of a file."""


@dataclass(frozen=True)
class Checked:
    """The outcome of a program, and that of an empty module if the program fails as asked.

    Attributes:
        fails_anyway: an empty module fails in the same way, so the fault is in the command.
        is_wanted: the outcome is the failure that is asked for.
        commands: the command lines that show it again, by what they do.
        blames: what is claimed of its cause.
    """

    outcome: Outcome
    empty: Outcome | None
    fails_anyway: bool
    is_wanted: bool
    commands: dict[str, list[str]]
    blames: tuple[Blame, ...] = ()

    def with_blames(self, blames: Sequence[Blame], ran: Sequence[Outcome]) -> "Checked":
        """The same with what further runs have shown, at the cost of all that `ran`."""
        seconds = sum(outcome.seconds for outcome in ran)
        cpu_seconds = sum(outcome.cpu_seconds for outcome in ran)
        outcome = replace(self.outcome, seconds=seconds, cpu_seconds=cpu_seconds)
        return replace(self, outcome=outcome, blames=(*self.blames, *blames))

    @property
    def interesting(self) -> bool:
        """Whether there is something to reduce, and an input that matters."""
        return self.outcome.failed and not self.fails_anyway

    def to_json(self) -> dict[str, Any]:
        """The fields of `check --json`."""
        outcome, signature = self.outcome, self.outcome.signature
        return {
            "kind": str(outcome.kind),
            "signature": signature.text,
            "bucket": signature.bucket,
            "failure": signature.to_json() if outcome.failed else None,
            "exit_code": outcome.exit_code,
            "cpu_seconds": round(outcome.cpu_seconds, 3),
            "wall_seconds": round(outcome.seconds, 3),
            "peak_memory": outcome.peak_memory,
            **({"numbers": dict(outcome.numbers)} if outcome.numbers else {}),
            "blames": [blame.to_json() for blame in self.blames],
            "diagnostics": [diagnostic.to_json() for diagnostic in outcome.diagnostics],
            **self.commands,
        }


def checked(
    it: FailingProgram,
    *,
    is_part: bool = False,
    target: Signature | None = None,
    fails: Callable[[Outcome], bool] | None = None,
    names_late: bool = True,
) -> Checked:
    """Run a program once, and an empty module if it fails.

    Args:
        is_part: whether the program is only a part of the file.
        target: the failure to look for, if that of the oracle is not meant.
        fails: whether an outcome shows that.
        names_late: run what takes too long or too much again, to say where it is by then.
    """
    oracle = it.oracle
    can = capabilities_of(oracle)
    judge = can.failures.on_file(it.file) if it.file and can.failures else oracle
    run = partial(judge.run, it.text, cancel=it.stop)
    outcome = _outcome(it, run, target, fails or oracle.wants)
    if outcome.cancelled:
        raise Stopped("interrupted")
    empty = oracle.run(EMPTY_MODULE, cancel=it.stop) if oracle.wants(outcome) else None
    fails_anyway = empty is not None and shows(outcome.signature, empty)
    if outcome.kind.traits.costly and names_late and not fails_anyway:
        from reducer.identity.short_limits import named_late

        outcome = named_late(outcome, oracle.limits, run)
    name = PART if is_part else str(it.source)
    commands = {"command": oracle.display(name)}
    if can.results:
        commands |= zip(("compile", "run"), can.results.input_steps(name), strict=False)
    if outcome.numbers and oracle.wants(outcome) and names_late:
        assert can.numbers is not None
        outcome = can.numbers.explained(outcome)
    named = outcome.signature.named_pass
    certainty = Certainty.SHOWN if can.numbers else Certainty.LAST_SEEN
    blames = (pass_blame(named, certainty),) if named else ()
    return Checked(outcome, empty, fails_anyway, oracle.wants(outcome), commands, blames)


def _outcome(
    it: FailingProgram,
    run: Callable[..., Outcome],
    target: Signature | None,
    fails: Callable[[Outcome], bool],
) -> Outcome:
    """The outcome that counts; with a remark, if the program does not fail alike every time."""

    def at(number: int, layout: int | None = None, limits: Limits = it.oracle.limits) -> Outcome:
        return run(limits=replace(limits, layout=layout))

    outcome, runs = run(), 1
    if capabilities_of(it.oracle).failures is None:
        return outcome
    if target is None or target.kind.traits.known_by_stack:
        outcome, runs = in_several_runs(outcome, at, fails)
    if runs > 1:
        return outcome.with_remark(f"it fails in 1 of {runs} runs" if fails(outcome) else "")
    if target is not None:
        return outcome
    again = cache(partial(at, limits=tightened(it.oracle.limits, first := outcome)))
    outcome, layout = most_telling(first, partial(again, 0), fails)
    said = Spread.of(outcome, outcome.signature, again, layout).text(outcome.signature)
    return outcome.with_remark(said).with_remark(elsewhere(first) if layout else "")
