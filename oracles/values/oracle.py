"""The oracle for wrong results: compiles, runs, and compares with a reference."""

import tempfile
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from oracles.command import Command
from oracles.compiler import CompilerOracle
from oracles.limits import Limits
from oracles.outcome import Outcome
from oracles.values.differential import Comparison, ComparisonPlan, DifferentialRun
from oracles.values.execution import RunContext
from oracles.values.inputs import InputSpec

_LONGEST = 4096
"""Characters of inputs that may stand in a command."""


@dataclass(frozen=True)
class Call:
    """A function with inputs, as `iree-run-module` takes them."""

    function: str
    inputs: tuple[str, ...]


class Display(Protocol):
    """Words that ask the same of a file; of this very call, if there is one."""

    def __call__(self, input_name: str, call: Call | None = None) -> list[str]: ...


class ValuesOracle:
    """Interesting is a module that compiles, and gives wrong results (kind MISCOMPILE).

    `input_text` is the module under reduction: what inputs show the defect, and which guards there
    are, is settled on it once. `display` makes the words that ask this very question of a file.
    """

    def __init__(
        self,
        comparison: Comparison,
        input_text: str,
        *,
        limits: Limits | None = None,
        display: Display | None = None,
    ) -> None:
        self.comparison = comparison
        self.input_text = input_text
        self.limits = limits or Limits()
        self._shown = display
        self._call: Call | None = None
        self._plan: ComparisonPlan | None = None
        self._planning = threading.Lock()

    @property
    def command(self) -> Command | None:
        """None: flags also decide what the reference is, so they stay."""
        return None

    def with_command(self, command: Command) -> "ValuesOracle":
        """Never asked for: there is no `command`."""
        raise NotImplementedError

    @property
    def key(self) -> str:
        """Every command, program and file that decides."""
        what = self.comparison
        sides = [what.reference, *what.required, *what.witnesses]
        keys = " | ".join([what.candidate.key, *(side.key for side in sides)])
        audited = " audited" if what.audit else ""
        return f"values{audited} {what.function} {what.given} {what.tolerance} {keys}"

    @property
    def inner(self) -> CompilerOracle:
        """The compiler under test."""
        return self.comparison.candidate.oracle("/dev/null")

    def shortened(self) -> "list[ValuesOracle]":
        """None: only a whole program can run."""
        return []

    def wants(self, outcome: Outcome) -> bool:
        """Only wrong results."""
        return outcome.kind.traits.wrong_results

    def display(self, input_name: str) -> list[str]:
        """The words that ask the same of the file `input_name`."""
        if self._shown is None:
            return self.inner.display(input_name)
        return self._shown(input_name, self._call)

    def pinned(self, text: str) -> "ValuesOracle":
        """The oracle that calls what is wrong in `text`, with the inputs that showed it here.

        Another compiler might be wrong elsewhere. This very oracle where nothing is wrong, or
        where the inputs cannot be told.
        """
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            differential = DifferentialRun(
                self.comparison, text, Path(folder), RunContext(self.limits)
            )
            differential.make_plan()
        found = differential.mismatch
        if found is None or sum(map(len, found.inputs)) > _LONGEST:
            return self
        try:
            given = tuple(map(InputSpec.parse, found.inputs))
        except ValueError:
            return self
        comparison = replace(self.comparison, function=found.function.name, given=given)
        pinned = ValuesOracle(comparison, text, limits=self.limits, display=self._shown)
        pinned._call = Call(found.function.name, found.inputs)
        return pinned

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Asks once more as `display` would: with this text as the input, and nothing known."""
        source = text if isinstance(text, str) else text.decode(errors="surrogateescape")
        fresh = ValuesOracle(self.comparison, source, limits=limits)
        return fresh.run(text, limits=limits, cancel=cancel)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Compiles and runs both sides of one candidate."""
        source = text if isinstance(text, str) else text.decode(errors="surrogateescape")
        plan, outcome = self._plan_for(source, cancel, limits)
        if outcome is not None:
            return outcome
        return self._examine(source, plan, RunContext(limits or self.limits, cancel))[1]

    def _plan_for(
        self, text: str, cancel: threading.Event | None, limits: Limits | None
    ) -> tuple[ComparisonPlan, Outcome | None]:
        """The plan, made on the input at first; with the outcome if `text` is the input."""
        with self._planning:
            if self._plan is not None:
                return self._plan, None
            context = RunContext(limits or self.limits, cancel)
            plan, outcome = self._examine(self.input_text, None, context)
            if outcome.cancelled:
                return plan, outcome
            self._plan = plan
        return plan, outcome if text == self.input_text else None

    def _examine(
        self, text: str, plan: ComparisonPlan | None, context: RunContext
    ) -> tuple[ComparisonPlan, Outcome]:
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            differential = DifferentialRun(self.comparison, text, Path(folder), context)
            return differential.run_with_plan(plan) if plan else differential.make_plan()
