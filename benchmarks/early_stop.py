"""Measure what stopping early saves, on the candidates of real reductions.

    python -m benchmarks.early_stop [--layers 20] [CASE]...

Each case that fails before LLVM is reduced once with the full command, and all candidates of that
reduction are recorded. Then they are run alternately with the full command and with the one that
stops after the failing phase. Runs of the input itself are left out, because they are the same in
both. Prints CPU seconds, and fails if the two commands disagree about a candidate.
"""

import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.measure import input_of
from oracles import Command, CompilerOracle, Limits, Oracle, Outcome
from oracles.profiles.iree import PHASES
from reducer.driver.reduction import Reduction
from reducer.driver.settings import Settings
from reducer.driver.stages.early_stop import find_shortest
from reducer.ir import PlainText
from reducer.search.conditions import SameFailure
from reducer.search.judge import Judge
from reducer.toolchain import Toolchain, install
from tests.support.corpus import Case, Run, case_names, load_case
from tests.support.predicate import Memory
from tests.support.silent import Silent

_LIMITS = Limits(seconds=300)
_FRONT = PHASES.names[: PHASES.names.index("dispatch-creation")]


class Recorder:
    """An oracle that records the distinct texts that it is run on, in order."""

    def __init__(self, oracle: CompilerOracle) -> None:
        self._oracle = oracle
        self.limits = oracle.limits
        self.texts: dict[str, Outcome] = {}

    @property
    def key(self) -> str:
        return self._oracle.key

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        outcome = self._oracle.run(text, cancel=cancel, limits=limits)
        assert isinstance(text, str)
        self.texts.setdefault(text, outcome)
        return outcome

    @property
    def command(self) -> None:
        """None, so that the command is not changed."""
        return None

    def with_command(self, command: Command) -> Oracle:
        raise ValueError("the command stays as it is")

    def shortened(self) -> Sequence[Oracle]:
        """Empty, so that the candidates do not depend on the feature being measured."""
        return []

    def wants(self, outcome: Outcome) -> bool:
        return self._oracle.wants(outcome)

    def display(self, input_name: str) -> list[str]:
        return self._oracle.display(input_name)

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        return self._oracle.confirm(text, input_name, limits=limits, cancel=cancel)


@dataclass(frozen=True)
class Cost:
    """CPU seconds for all candidates with either command, and for finding where to stop."""

    phase: str
    candidates: int
    plain: float
    stopped: float
    finding: float

    def line(self, name: str) -> str:
        """One row of the table."""
        return (
            f"{name:42}{self.phase:26}{self.candidates:>6}{self.plain:>9.2f}{self.stopped:>9.2f}"
            f"{self.plain / self.stopped:>8.2f}{self.finding:>9.2f}"
        )


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--layers", default=20, show_default=True, help="Size of the planted modules.")
@click.option("--most-seconds", default=20.0, show_default=True, help="Skip slower inputs.")
def main(names: tuple[str, ...], layers: int, most_seconds: float) -> None:
    """Print one row for each case, and the sums."""
    click.echo(
        f"{'case':42}{'stops after':26}{'cands':>6}{'plain':>9}{'stopped':>9}"
        f"{'ratio':>8}{'finding':>9}"
    )
    costs = []
    for case in map(load_case, names or case_names()):
        for run in case.runs if case.execution is None else ():
            if run.seconds > most_seconds or not run.is_plain:
                continue
            cost = _measure(case, run, layers)
            if cost is not None:
                costs.append(cost)
                click.echo(cost.line(f"{case.name} {run.wheel}"))
    for title, chosen in (
        ("before dispatch creation", [c for c in costs if c.phase in _FRONT]),
        ("from dispatch creation on", [c for c in costs if c.phase not in _FRONT]),
        ("all", costs),
    ):
        if chosen:
            click.echo(_sum(chosen).line(title))


def _sum(costs: Sequence[Cost]) -> Cost:
    return Cost(
        "",
        sum(cost.candidates for cost in costs),
        sum(cost.plain for cost in costs),
        sum(cost.stopped for cost in costs),
        sum(cost.finding for cost in costs),
    )


def _measure(case: Case, run: Run, layers: int) -> Cost | None:
    """The costs of one case; None if only the full command shows the failure."""
    text = input_of(case, layers)
    toolchain = install(run.wheel)
    command = Command.parse(["iree-compile", *run.flags], directory=case.folder)
    plain = CompilerOracle(command, toolchain.compile, limits=_LIMITS)
    candidates, result = _candidates(text, Recorder(plain), toolchain)
    found = _shortest(plain, result)
    if found is None:
        return None
    stopped, finding = found
    seconds: list[tuple[float, ...]] = []
    target = plain.run(result).signature
    for candidate in candidates:
        outcomes = [way.run(candidate) for way in (plain, stopped)]
        verdicts = {outcome.signature == target for outcome in outcomes}
        if len(verdicts) > 1:
            raise click.ClickException(f"{case.name}: the two disagree about\n{candidate}")
        seconds.append(tuple(outcome.cpu_seconds for outcome in outcomes))
    phase = stopped.command.flags[-1].partition("=")[2]
    sums = [sum(column) for column in zip(*seconds, strict=True)]
    return Cost(phase, len(candidates), sums[0], sums[1], finding)


def _candidates(text: str, recorder: Recorder, toolchain: Toolchain) -> tuple[list[str], str]:
    """The candidates of a reduction, and its result."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "reduced.mlir"
        settings = Settings(
            input=Path(folder) / "input.mlir",
            text=text,
            output=output,
            journal=Path(folder) / "journal",
            opt=toolchain.opt,
            comments=False,
        )
        Reduction(settings, recorder, Silent()).run()
        reduced = output.read_text(encoding="utf-8")
        return [candidate for candidate in recorder.texts if candidate != text], reduced


def _shortest(oracle: CompilerOracle, text: str) -> tuple[CompilerOracle, float] | None:
    """The command that stops early, and the cost of finding it."""
    judge = Judge(oracle, Memory())
    try:
        judge = judge.under(SameFailure(judge.run(text, 1).signature))
        assert judge.fails(PlainText(text))
        before = judge.costs.compiler_seconds
        short = find_shortest(judge, PlainText(text))
        cost = judge.costs.compiler_seconds - before
    finally:
        judge.close()
    return (short, cost) if isinstance(short, CompilerOracle) else None


if __name__ == "__main__":
    main()
