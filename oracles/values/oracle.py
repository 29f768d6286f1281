"""The oracle for wrong results: compile, run, and compare with a reference."""

import tempfile
import threading
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from oracles.command import Command
from oracles.compiler import CompilerOracle
from oracles.limits import Limits
from oracles.outcome import Outcome
from oracles.values.comparison import Comparison, ComparisonPlan
from oracles.values.differential import RUN_SECONDS, DifferentialRun
from oracles.values.execution import RunContext
from oracles.values.given import InputSpec

_LONGEST = 4096
"""The maximum number of characters of inputs on a command line."""


@dataclass(frozen=True)
class Call:
    """A function with inputs in the syntax of `iree-run-module`."""

    function: str
    inputs: tuple[str, ...]


class CommandDisplay(Protocol):
    """Makes a command line that repeats the comparison for a file, with this call if given."""

    def __call__(self, input_name: str, call: Call | None = None) -> list[str]: ...


class ValuesOracle:
    """A module is interesting if it compiles and its program is at fault.

    That is, its results are wrong (kind MISCOMPILE), or it fails to run (RUN_FAILURE). If nobody
    can tell, the kind is UNDECIDED. `input_text` is the module under reduction: which inputs show
    the defect, and who judges candidates, is determined once, on it. `display` makes the command
    line that repeats the comparison for a file.
    """

    def __init__(
        self,
        comparison: Comparison,
        input_text: str,
        *,
        limits: Limits | None = None,
        display: CommandDisplay | None = None,
    ) -> None:
        self.comparison = comparison
        self.input_text = input_text
        self.limits = limits or Limits()
        self._shown = display
        self._call: Call | None = None
        self._plan: ComparisonPlan | None = None
        self._planning = threading.Lock()
        self._run_seconds = self.limits.seconds or RUN_SECONDS

    @property
    def command(self) -> Command | None:
        """None: the reference depends on the flags too, so they must stay."""
        return None

    def with_command(self, command: Command) -> "ValuesOracle":
        """Never called, because there is no `command`."""
        raise NotImplementedError

    @cached_property
    def key(self) -> str:
        """Every command, program and file that the results depend on."""
        what = self.comparison
        keys = " | ".join([what.candidate.key, *(side.key for side in what.sides)])
        audited = " audited" if what.audit else ""
        given = [one.key for one in what.given]
        expected = sha256(repr(what.expected).encode()).hexdigest() if what.expected else None
        asked = f"{what.function} {given} {expected} {what.tolerance}"
        return f"values{audited} {asked} {keys}"

    @property
    def inner(self) -> CompilerOracle:
        """The compiler under test."""
        return self.comparison.candidate.oracle("/dev/null")

    def shortened(self) -> "list[ValuesOracle]":
        """Empty: only a whole program can run."""
        return []

    def wants(self, outcome: Outcome) -> bool:
        """Whether the outcome is a wrong result, or a program that fails to run."""
        return outcome.kind.traits.wrong_results

    def objection(self) -> str:
        """Why nobody can judge candidates, although the input is known to be wrong; or ''."""
        plan, _ = self._plan_for(self.input_text, None, None)
        return "" if plan.trial is None else plan.bench.objection

    def display(self, input_name: str) -> list[str]:
        """The command line that repeats the comparison for the file `input_name`."""
        if self._shown is None:
            return self.inner.display(input_name)
        return self._shown(input_name, self._call)

    def pinned(self, text: str) -> "ValuesOracle":
        """The oracle that makes the failing call in `text`, with the inputs that exposed it here.

        Another compiler might be wrong in another function. Returns this oracle itself if nothing
        is wrong, or if the inputs cannot be determined.
        """
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            differential = DifferentialRun(
                self.comparison,
                text,
                Path(folder),
                RunContext(self.limits),
                self._run_seconds,
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
        """Compare once more as `display` would: with this text as the input, and nothing cached.

        A remark says whether somebody confirms the result who took no part in finding it.
        """
        source = text if isinstance(text, str) else text.decode(errors="surrogateescape")
        with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
            context = RunContext(limits, cancel)
            differential = DifferentialRun(
                self.comparison, source, Path(folder), context, self._run_seconds
            )
            plan, outcome = differential.make_plan()
            if differential.mismatch is None:
                return outcome
            used = self._plan.bench if self._plan else plan.bench
            return differential.get_second_opinion(plan, used)

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Compile and run both implementations of one candidate."""
        source = text if isinstance(text, str) else text.decode(errors="surrogateescape")
        plan, outcome = self._plan_for(source, cancel, limits)
        if outcome is not None:
            return outcome
        return self._examine(source, plan, RunContext(limits or self.limits, cancel))[1]

    def _plan_for(
        self, text: str, cancel: threading.Event | None, limits: Limits | None
    ) -> tuple[ComparisonPlan, Outcome | None]:
        """The plan, made on the input first; with the outcome if `text` is the input."""
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
            differential = DifferentialRun(
                self.comparison, text, Path(folder), context, self._run_seconds
            )
            return differential.run_with_plan(plan) if plan else differential.make_plan()
